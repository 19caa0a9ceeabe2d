#!/bin/sh
cat > seconds.sh <<'END'
#!/bin/sh
h=0; m=0; s=0; rest=$1
case $rest in *h*) h=${rest%%h*}; rest=${rest#*h};; esac
case $rest in *m*) m=${rest%%m*}; rest=${rest#*m};; esac
case $rest in *s*) s=${rest%%s*};; esac
echo $((h * 3600 + m * 60 + s))
END
