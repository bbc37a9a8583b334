package main

import (
	"context"

	dataschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Attributes as resources have them. What is fixed makes a new resource if it changes.

type attributes = map[string]schema.Attribute

func required(about string) schema.StringAttribute {
	return schema.StringAttribute{Required: true, Description: about}
}

func fixed(about string) schema.StringAttribute {
	return schema.StringAttribute{
		Required:      true,
		Description:   about,
		PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
	}
}

func fixedOption(about string) schema.StringAttribute {
	return schema.StringAttribute{
		Optional:      true,
		Description:   about,
		PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
	}
}

func option(about string) schema.StringAttribute {
	return schema.StringAttribute{Optional: true, Description: about}
}

// A flag that is off may be left out.
func fixedFlag(about string) schema.BoolAttribute {
	differs := func(_ context.Context, req planmodifier.BoolRequest, resp *boolplanmodifier.RequiresReplaceIfFuncResponse) {
		resp.RequiresReplace = req.PlanValue.ValueBool() != req.StateValue.ValueBool()
	}
	return schema.BoolAttribute{
		Optional:      true,
		Description:   about,
		PlanModifiers: []planmodifier.Bool{boolplanmodifier.RequiresReplaceIf(differs, replaces, replaces)},
	}
}

const replaces = "Another value makes a new resource."

func fixedNumber(about string, fallback int64) schema.Int64Attribute {
	return schema.Int64Attribute{
		Optional:      true,
		Computed:      true,
		Default:       int64default.StaticInt64(fallback),
		Description:   about,
		PlanModifiers: []planmodifier.Int64{int64planmodifier.RequiresReplace()},
	}
}

// Options that go back to their default if they are taken out of a configuration.

func optionOr(fallback, about string) schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, Computed: true, Default: stringdefault.StaticString(fallback), Description: about,
	}
}

func flagOr(fallback bool, about string) schema.BoolAttribute {
	return schema.BoolAttribute{
		Optional: true, Computed: true, Default: booldefault.StaticBool(fallback), Description: about,
	}
}

func flag(about string) schema.BoolAttribute {
	return schema.BoolAttribute{Optional: true, Description: about}
}

func number(about string) schema.Int64Attribute {
	return schema.Int64Attribute{Optional: true, Description: about}
}

func texts(about string) schema.MapAttribute {
	return schema.MapAttribute{Optional: true, ElementType: types.StringType, Description: about}
}

// What the control plane decides once.
func computed(about string) schema.StringAttribute {
	return schema.StringAttribute{
		Computed:      true,
		Description:   about,
		PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
}

// A secret, which the control plane returns once.
func secret(about string) schema.StringAttribute {
	attribute := computed(about)
	attribute.Sensitive = true
	return attribute
}

// Attributes as data sources have them.

type dataAttributes = map[string]dataschema.Attribute

func asked(about string) dataschema.StringAttribute {
	return dataschema.StringAttribute{Required: true, Description: about}
}

// What is found may be limited to it.
func limit(about string) dataschema.StringAttribute {
	return dataschema.StringAttribute{Optional: true, Description: about}
}

// By this or by another one.
func askedOrFound(about string) dataschema.StringAttribute {
	return dataschema.StringAttribute{Optional: true, Computed: true, Description: about}
}

func foundText(about string) dataschema.StringAttribute {
	return dataschema.StringAttribute{Computed: true, Description: about}
}

func foundFlag(about string) dataschema.BoolAttribute {
	return dataschema.BoolAttribute{Computed: true, Description: about}
}

func foundNumber(about string) dataschema.Int64Attribute {
	return dataschema.Int64Attribute{Computed: true, Description: about}
}

func foundTexts(about string) dataschema.MapAttribute {
	return dataschema.MapAttribute{Computed: true, ElementType: types.StringType, Description: about}
}

func foundOne(about string, each dataAttributes) dataschema.SingleNestedAttribute {
	return dataschema.SingleNestedAttribute{Computed: true, Description: about, Attributes: each}
}

func foundList(about string, each dataAttributes) dataschema.ListNestedAttribute {
	return dataschema.ListNestedAttribute{
		Computed:     true,
		Description:  about,
		NestedObject: dataschema.NestedAttributeObject{Attributes: each},
	}
}
