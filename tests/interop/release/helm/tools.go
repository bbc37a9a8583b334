//go:build tools

package main

import _ "helm.sh/helm/v3/cmd/helm"
