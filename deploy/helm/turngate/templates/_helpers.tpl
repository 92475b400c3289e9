{{/* The name of everything: the release's, with "turngate" in it. */}}
{{- define "turngate.name" -}}
{{- if contains "turngate" .Release.Name -}}
{{- .Release.Name | trunc 45 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-turngate" (.Release.Name | trunc 36 | trimSuffix "-") -}}
{{- end -}}
{{- end }}

{{/* What the pods of the nodes are selected by. The Job's pods do not have both. */}}
{{- define "turngate.selector" -}}
app.kubernetes.io/name: turngate
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "turngate.labels" -}}
{{ include "turngate.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{/* The address of /v1 for clients: the value, or that of the service inside the cluster. */}}
{{- define "turngate.publicUrl" -}}
{{- if .Values.publicUrl -}}
{{- .Values.publicUrl | trimSuffix "/" | trimSuffix "/v1" -}}
{{- else -}}
http://{{ include "turngate.name" . }}.{{ .Release.Namespace }}{{ if ne (int .Values.service.port) 80 }}:{{ .Values.service.port }}{{ end }}
{{- end -}}
{{- end }}

{{- define "turngate.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* Seconds from the request to stop until the end of the drain; the defaults are those of the service. */}}
{{- define "turngate.drainSeconds" -}}
{{- $limits := (.Values.config).limits | default dict -}}
{{- add (dig "drain_notice_seconds" 0 $limits) (dig "drain_seconds" 30 $limits) -}}
{{- end }}

{{/* Of the pods of nodes and Job. */}}
{{- define "turngate.podSettings" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Of the containers of nodes and Job: whole folders, since a file that is mounted alone is not updated in a running container. */}}
{{- define "turngate.containerSettings" -}}
image: {{ include "turngate.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
env:
  - { name: MANAGE_HOST, value: 0.0.0.0 }
  - name: MANAGE_URL
    value: {{ .Values.manageUrl | quote }}
  - name: PUBLIC_URL
    value: {{ include "turngate.publicUrl" . | quote }}
  {{- range $variable, $key := .Values.secret.variables }}
  {{- if $key }}
  - name: {{ $variable }}_FILE
    value: /run/secrets/turngate/{{ $key }}
  {{- end }}
  {{- end }}
  {{- with .Values.env }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
volumeMounts:
  - { name: config, mountPath: /etc/turngate, readOnly: true }
  - { name: secrets, mountPath: /run/secrets/turngate, readOnly: true }
{{- with .Values.resources }}
resources:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* turngate.yaml */}}
{{- define "turngate.config" -}}
turngate.yaml: |
  {{- toYaml .Values.config | nindent 2 }}
{{- end }}
