// The provider of Weir for OpenTofu and Terraform: clusters, topics, rights, keys and pipelines by the API of a control
// plane.
package main

import (
	"context"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
)

// Where configurations find it, below the registry that their tool knows.
const address = "registry.terraform.io/weir/weir"

func main() {
	if err := providerserver.Serve(context.Background(), newProvider, providerserver.ServeOpts{Address: address}); err != nil {
		log.Fatal(err)
	}
}
