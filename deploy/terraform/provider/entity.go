package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// A kind of resource: its schema, and what becomes of it by the API. Each function gets and returns whole objects.
type kind struct {
	name   string
	schema schema.Schema
	create func(ctx context.Context, api *client, plan object) (object, error)
	// Returns nil if it does not exist any more.
	read reader
	// Absent if every change makes a new one, or changes only what the state knows about it.
	update func(ctx context.Context, api *client, plan, state object) (object, error)
	remove func(ctx context.Context, api *client, state object) error
	// Attributes of which a configuration has exactly one.
	oneOf []string
	// Attributes that name it, in the order in which an import has them between slashes.
	importBy []string
}

type reader = func(ctx context.Context, api *client, state object) (object, error)

// One resource of a kind.
type entity struct {
	kind kind
	api  *client
}

func (e *entity) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + e.kind.name
}

func (e *entity) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = e.kind.schema
}

func (e *entity) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	// It is not known yet while configurations are only validated.
	e.api, _ = req.ProviderData.(*client)
}

func (e *entity) ValidateConfig(_ context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	if err := checkOneOf(req.Config.Raw, e.kind.oneOf); err != nil {
		resp.Diagnostics.AddError("Not one of them", err.Error())
	}
}

func (e *entity) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	plan, err := objectOf(req.Plan.Raw)
	var made object
	if err == nil {
		made, err = e.kind.create(ctx, e.api, plan)
	}
	// What was made before a later step failed belongs into the state, so that it can be changed or destroyed.
	if made != nil {
		value, invalid := valueOf(req.Plan.Schema.Type().TerraformType(ctx), made)
		if invalid != nil {
			resp.Diagnostics.AddError("Unexpected answer", invalid.Error())
			return
		}
		resp.State.Raw = value
	}
	if err != nil {
		resp.Diagnostics.AddError(fmt.Sprintf("Failed to create %s", e.kind.name), err.Error())
	}
}

func (e *entity) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state, err := objectOf(req.State.Raw)
	var found object
	if err == nil {
		found, err = e.kind.read(ctx, e.api, state)
	}
	if err != nil && !isGone(err) {
		resp.Diagnostics.AddError(fmt.Sprintf("Failed to read %s", e.kind.name), err.Error())
		return
	}
	if found == nil || err != nil {
		resp.State.RemoveResource(ctx)
		return
	}
	value, err := valueOf(req.State.Schema.Type().TerraformType(ctx), found)
	if err != nil {
		resp.Diagnostics.AddError("Unexpected answer", err.Error())
		return
	}
	resp.State.Raw = value
}

func (e *entity) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	plan, err := objectOf(req.Plan.Raw)
	var state, changed object
	if err == nil {
		state, err = objectOf(req.State.Raw)
	}
	if err == nil && e.kind.update == nil {
		changed = plan
	} else if err == nil {
		changed, err = e.kind.update(ctx, e.api, plan, state)
	}
	if err != nil {
		resp.Diagnostics.AddError(fmt.Sprintf("Failed to change %s", e.kind.name), err.Error())
		return
	}
	value, err := valueOf(req.Plan.Schema.Type().TerraformType(ctx), changed)
	if err != nil {
		resp.Diagnostics.AddError("Unexpected answer", err.Error())
		return
	}
	resp.State.Raw = value
}

func (e *entity) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	state, err := objectOf(req.State.Raw)
	if err == nil {
		err = e.kind.remove(ctx, e.api, state)
	}
	if err != nil && !isGone(err) {
		resp.Diagnostics.AddError(fmt.Sprintf("Failed to delete %s", e.kind.name), err.Error())
	}
}

func (e *entity) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	names := e.kind.importBy
	parts := strings.SplitN(req.ID, "/", len(names))
	if len(parts) != len(names) {
		resp.Diagnostics.AddError("Not an id", "Write "+strings.Join(names, "/")+".")
		return
	}
	for index, name := range names {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(name), parts[index])...)
	}
}
