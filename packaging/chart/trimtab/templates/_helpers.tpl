{{- define "trimtab.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "trimtab.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "trimtab.labels" -}}
{{ include "trimtab.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "trimtab.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- define "trimtab.scheme" -}}
{{- if .Values.tls.secret -}}https{{- else -}}http{{- end -}}
{{- end -}}

{{- define "trimtab.servicePort" -}}
{{- if and .Values.tls.secret (eq (int .Values.service.port) 80) -}}443{{- else -}}{{ .Values.service.port }}{{- end -}}
{{- end -}}

{{- define "trimtab.storeEnv" -}}
{{- if .Values.store.secret }}
- name: TRIMTAB_STORE_URL
  valueFrom:
    secretKeyRef:
      name: {{ .Values.store.secret }}
      key: {{ .Values.store.key }}
{{- end }}
{{- end -}}

{{- define "trimtab.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "trimtab.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}
