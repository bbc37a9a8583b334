package main

import (
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Attributes as resources have them. What is fixed makes a new resource if it changes.

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

func fixedFlag(about string) schema.BoolAttribute {
	return schema.BoolAttribute{
		Optional:      true,
		Description:   about,
		PlanModifiers: []planmodifier.Bool{boolplanmodifier.RequiresReplace()},
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
