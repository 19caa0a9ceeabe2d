package main

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"time"
)

// newProxy is a reverse proxy as one writes it with the standard library. Only
// the number of idle connections is raised, or it would be measured dialling.
func newProxy(to string) (http.Handler, error) {
	u, err := url.Parse(to)
	if err != nil {
		return nil, err
	}
	return &httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) { p.SetURL(u) },
		Transport: &http.Transport{
			MaxIdleConns: 2048, MaxIdleConnsPerHost: 1024, IdleConnTimeout: 90 * time.Second, DisableCompression: true,
			ForceAttemptHTTP2: true,
		},
	}, nil
}

const nginxConfig = `%s
daemon off;
worker_processes auto;
worker_rlimit_nofile 8192;
pid %[2]s/nginx.pid;
error_log stderr error;
events { worker_connections 4096; }
http {
	access_log off;
	client_body_temp_path %[2]s/body;
	proxy_temp_path %[2]s/proxy;
	fastcgi_temp_path %[2]s/fastcgi;
	uwsgi_temp_path %[2]s/uwsgi;
	scgi_temp_path %[2]s/scgi;
	client_max_body_size 64m;
	client_body_buffer_size 4m;
	keepalive_requests 1000000;
	upstream model { server %[3]s; keepalive 1024; keepalive_requests 1000000; }
	server {
		listen %[4]s;
		location / {
			proxy_pass %[5]s://model;
			proxy_ssl_session_reuse on;
			proxy_http_version 1.1;
			proxy_set_header Connection "";
			proxy_buffering off;
		}
	}
}
`

// nginxFile writes the settings of nginx and returns them with its address.
func nginxFile(dir, scheme, upstream string) (file, address string, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", "", err
	}
	address = l.Addr().String() // free a moment ago; nginx cannot choose one itself
	if err := l.Close(); err != nil {
		return "", "", err
	}
	as := ""
	if os.Geteuid() == 0 { // its workers would be nobody, who may not enter our folder
		me, err := user.Current()
		if err != nil {
			return "", "", err
		}
		group, err := user.LookupGroupId(me.Gid)
		if err != nil {
			return "", "", err
		}
		as = fmt.Sprintf("user %s %s;", me.Username, group.Name)
	}
	file = filepath.Join(dir, "nginx.conf")
	return file, address, os.WriteFile(file, fmt.Appendf(nil, nginxConfig, as, dir, upstream, address, scheme), 0o600)
}
