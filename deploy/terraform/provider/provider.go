package main

import (
	"context"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

type weirProvider struct{}

func newProvider() provider.Provider {
	return &weirProvider{}
}

type providerSettings struct {
	BaseURL types.String `tfsdk:"base_url"`
	Token   types.String `tfsdk:"token"`
}

func (*weirProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "weir"
}

func (*weirProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		Description: "Clusters, topics, rights, keys, pipelines and workspaces of a Weir control plane.",
		Attributes: map[string]schema.Attribute{
			"base_url": schema.StringAttribute{
				Optional:    true,
				Description: "The control plane, with or without /api/v1. Default: SERVICE_API_URL.",
			},
			"token": schema.StringAttribute{
				Optional:    true,
				Sensitive:   true,
				Description: "An application key, or an account key for workspaces, roles and single sign-on. Default: SERVICE_API_KEY.",
			},
		},
	}
}

func (*weirProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var settings providerSettings
	resp.Diagnostics.Append(req.Config.Get(ctx, &settings)...)
	if resp.Diagnostics.HasError() {
		return
	}
	url := orVariable(settings.BaseURL, "SERVICE_API_URL")
	token := orVariable(settings.Token, "SERVICE_API_KEY")
	if url == "" || token == "" {
		resp.Diagnostics.AddError("The control plane is not known", "Set base_url and token, or SERVICE_API_URL and SERVICE_API_KEY.")
		return
	}
	api := newClient(url, token)
	resp.ResourceData = api
	resp.DataSourceData = api
}

func orVariable(value types.String, name string) string {
	if text := value.ValueString(); text != "" {
		return text
	}
	return os.Getenv(name)
}

func (*weirProvider) Resources(context.Context) []func() resource.Resource {
	var all []func() resource.Resource
	for _, one := range kinds() {
		all = append(all, func() resource.Resource { return &entity{kind: one} })
	}
	return all
}

func (*weirProvider) DataSources(context.Context) []func() datasource.DataSource {
	var all []func() datasource.DataSource
	for _, one := range sources() {
		all = append(all, func() datasource.DataSource { return &lookup{source: one} })
	}
	return all
}
