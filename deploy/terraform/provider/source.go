package main

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	dataschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
)

// A kind of data source: its schema, and how the API answers it. The function gets what is asked for and returns the
// whole object.
type source struct {
	name   string
	schema dataschema.Schema
	// Attributes of which a configuration has exactly one.
	oneOf []string
	read  func(ctx context.Context, api *client, asked object) (object, error)
}

// One data source of a kind.
type lookup struct {
	source source
	api    *client
}

func (l *lookup) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + l.source.name
}

func (l *lookup) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = l.source.schema
}

func (l *lookup) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	l.api, _ = req.ProviderData.(*client)
}

func (l *lookup) ValidateConfig(_ context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	if err := checkOneOf(req.Config.Raw, l.source.oneOf); err != nil {
		resp.Diagnostics.AddError("Not one of them", err.Error())
	}
}

func (l *lookup) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	asked, err := objectOf(req.Config.Raw)
	if err == nil {
		// What was not known when the configuration was validated is known now.
		err = checkOneOf(req.Config.Raw, l.source.oneOf)
	}
	var found object
	if err == nil {
		found, err = l.source.read(ctx, l.api, asked)
	}
	if err != nil {
		resp.Diagnostics.AddError(fmt.Sprintf("Failed to read %s", l.source.name), err.Error())
		return
	}
	// What was asked for stays as it was written.
	value, err := valueOf(req.Config.Schema.Type().TerraformType(ctx), with(found, asked))
	if err != nil {
		resp.Diagnostics.AddError("Unexpected answer", err.Error())
		return
	}
	resp.State.Raw = value
}
