{{- define "sobremesa.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "sobremesa.selector" -}}
app.kubernetes.io/name: sobremesa
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "sobremesa.labels" -}}
{{ include "sobremesa.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "sobremesa.secret" -}}
{{- .Values.secrets.existing | default (include "sobremesa.name" .) -}}
{{- end -}}
