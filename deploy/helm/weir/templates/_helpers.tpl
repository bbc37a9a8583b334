{{- define "weir.labels" -}}
app.kubernetes.io/name: weir
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{/* What selects the pods of a part; labels of releases must not be among them. */}}
{{- define "weir.selector" -}}
app.kubernetes.io/name: weir
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "weir.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag }}
{{- end }}

{{/* The only user of the image, on files that it cannot change. */}}
{{- define "weir.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "weir.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{/* One pod per zone before a second, and one per node before a second. */}}
{{- define "weir.spread" -}}
- maxSkew: 1
  topologyKey: topology.kubernetes.io/zone
  whenUnsatisfiable: {{ .root.Values.zones.whenUnsatisfiable }}
  labelSelector: { matchLabels: { {{ include "weir.selector" . | replace "\n" ", " }} } }
- maxSkew: 1
  topologyKey: kubernetes.io/hostname
  whenUnsatisfiable: ScheduleAnyway
  labelSelector: { matchLabels: { {{ include "weir.selector" . | replace "\n" ", " }} } }
{{- end }}

{{- define "weir.secretVariable" -}}
valueFrom: { secretKeyRef: { name: {{ .name }}, key: {{ .key }} } }
{{- end }}

{{- define "weir.settings" -}}
{{- range $name, $value := . }}
- name: {{ $name }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- end }}

{{/* "true" if the settings of agents turn a switch on, in any of its spellings; empty otherwise. */}}
{{- define "weir.agentHas" -}}
{{- if has (get (.root.Values.agents.settings | default dict) .switch | toString | trim | lower) (list "true" "t" "1") }}true{{ end }}
{{- end }}

{{/* Each process of the control plane has a name of its own, and agents know them all. */}}
{{- define "weir.controlPlaneURLs" -}}
{{- $name := printf "%s-control-plane" .Release.Name -}}
{{- $urls := list -}}
{{- range $index := until (int .Values.controlPlane.replicas) -}}
{{- $urls = append $urls (printf "http://%s-%d.%s-peers.%s.svc:8090" $name $index $name $.Release.Namespace) -}}
{{- end -}}
{{- join "," $urls -}}
{{- end }}
