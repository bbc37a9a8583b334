package main

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// What belongs to the account and not to a cluster. Changes need an account key.

func workspace() kind {
	read := func(ctx context.Context, api *client, state object) (object, error) {
		answer, err := api.call(ctx, "list_workspaces", object{})
		if err != nil {
			return nil, err
		}
		found := find(list(answer, "workspaces"), "id", text(state, "id"))
		return workspaceOf(found), orGone(found)
	}
	return kind{
		name: "workspace",
		schema: schema.Schema{
			Description: "A workspace, which separates clusters, keys and people. It needs an account key.",
			Attributes: attributes{
				"id":         computed("The id."),
				"name":       required("The name, unique in the account."),
				"created_at": computed("When it was created."),
			},
		},
		create: func(ctx context.Context, api *client, plan object) (object, error) {
			answer, err := api.call(ctx, "create_workspace", object{
				"workspace_name": plan["name"], "skip_application_key_creation": true,
			})
			if err != nil {
				return nil, err
			}
			return readBack(ctx, api, with(plan, object{"id": answer["workspace_id"]}), read)
		},
		read: read,
		update: func(ctx context.Context, api *client, plan, state object) (object, error) {
			_, err := api.call(ctx, "rename_workspace", object{
				"workspace_id": state["id"], "new_workspace_name": plan["name"],
			})
			return with(state, object{"name": plan["name"]}), err
		},
		remove: func(ctx context.Context, api *client, state object) error {
			_, err := api.call(ctx, "delete_workspace", object{"workspace_id": state["id"]})
			return err
		},
		importBy: []string{"id"},
	}
}

func workspaceOf(found object) object {
	return pick(found, same("id", "name", "created_at"))
}

func userRole() kind {
	input := func(plan object, name string) object {
		return object{name: plan["name"], "access_grants": grantsOfRole(plan)}
	}
	read := func(ctx context.Context, api *client, state object) (object, error) {
		answer, err := api.call(ctx, "list_user_roles", object{})
		if err != nil {
			return nil, err
		}
		found := find(list(answer, "user_roles"), "id", text(state, "id"))
		return roleOf(found), orGone(found)
	}
	return kind{
		name: "user_role",
		schema: schema.Schema{
			Description: "A role, which says what its users may do. It needs an account key.",
			Attributes: attributes{
				"id":         computed("The id."),
				"name":       required("The name, unique in the account."),
				"created_at": computed("When it was created."),
				"access_grants": schema.SetNestedAttribute{
					Required:    true,
					Description: "What its users may do, by workspace.",
					NestedObject: schema.NestedAttributeObject{Attributes: attributes{
						"workspace_id": required("The workspace, or * for all, including future ones."),
						"grant_type":   required("admin, read_records or read_only."),
					}},
				},
			},
		},
		create: func(ctx context.Context, api *client, plan object) (object, error) {
			answer, err := api.call(ctx, "create_user_role", input(plan, "user_role_name"))
			if err != nil {
				return nil, err
			}
			return readBack(ctx, api, with(plan, object{"id": answer["user_role_id"]}), read)
		},
		read: read,
		update: func(ctx context.Context, api *client, plan, state object) (object, error) {
			_, err := api.call(ctx, "update_user_role", with(input(plan, "new_user_role_name"), object{
				"user_role_id": state["id"],
			}))
			return plan, err
		},
		remove: func(ctx context.Context, api *client, state object) error {
			_, err := api.call(ctx, "delete_user_role", object{"user_role_id": state["id"]})
			return err
		},
		importBy: []string{"id"},
	}
}

func grantsOfRole(plan object) []any {
	grants := []any{}
	for _, one := range list(plan, "access_grants") {
		grants = append(grants, object{
			"workspace_id": one["workspace_id"], "managed_grant_name": one["grant_type"], "resource_id": "*",
		})
	}
	return grants
}

// The grants of a role or of a key, as attributes.
func grantsFound(found object) []any {
	grants := []any{}
	for _, one := range list(found, "access_grants") {
		grants = append(grants, object{"workspace_id": one["workspace_id"], "grant_type": one["managed_grant_name"]})
	}
	return grants
}

func roleOf(found object) object {
	return with(pick(found, same("id", "name", "created_at")), object{"access_grants": grantsFound(found)})
}

// What was made, with what the control plane decided about it. If that cannot be read, what was made is kept.
func readBack(ctx context.Context, api *client, made object, read reader) (object, error) {
	found, err := read(ctx, api, made)
	if err != nil {
		return made, err
	}
	return found, nil
}

// Fields of the connection that can change.
var connectionFields = same("issuer_url", "client_id", "default_role_id", "enable_sso_role_mapping", "role_claim")

func ssoConfiguration() kind {
	input := func(plan object) object {
		return with(pick(plan, connectionFields), object{"client_secret": plan["client_secret"]})
	}
	read := func(ctx context.Context, api *client, state object) (object, error) {
		found, err := connection(ctx, api)
		if err != nil {
			return nil, err
		}
		if text(found, "id") != text(state, "id") {
			return nil, errGone
		}
		// The secret is never returned.
		return with(state, found), nil
	}
	clientSecret := required("Its secret. What changes it by other means is not noticed.")
	clientSecret.Sensitive = true
	return kind{
		name: "sso_configuration",
		schema: schema.Schema{
			Description: "The OpenID Connect connection of the account, which has at most one. It needs an account key.",
			Attributes: attributes{
				"id":                      computed("The id."),
				"sso_identifier":          fixed("The end of its URLs, unique among all accounts."),
				"issuer_url":              required("The issuer, an https:// address."),
				"client_id":               required("The client at the issuer."),
				"client_secret":           clientSecret,
				"default_role_id":         required("The role of users to whom the claim gives none."),
				"enable_sso_role_mapping": flagOr(false, "Whether roles follow the claim."),
				"role_claim":              optionOr("groups", "The claim whose values are names of roles."),
				"login_url":               computed("Where users sign in."),
				"callback_url":            computed("The redirect URI to allow at the issuer."),
			},
		},
		create: func(ctx context.Context, api *client, plan object) (object, error) {
			answer, err := api.call(ctx, "create_sso_configuration", with(input(plan), object{
				"sso_identifier": plan["sso_identifier"],
			}))
			if err != nil {
				return nil, err
			}
			return readBack(ctx, api, with(plan, object{"id": answer["sso_connection_id"]}), read)
		},
		read: read,
		update: func(ctx context.Context, api *client, plan, state object) (object, error) {
			_, err := api.call(ctx, "update_sso_configuration", with(input(plan), object{"sso_connection_id": state["id"]}))
			return plan, err
		},
		remove: func(ctx context.Context, api *client, state object) error {
			_, err := api.call(ctx, "delete_sso_configuration", object{"sso_connection_id": state["id"]})
			return err
		},
		importBy: []string{"id"},
	}
}

// The connection of the account.
func connection(ctx context.Context, api *client) (object, error) {
	answer, err := api.call(ctx, "get_sso_configuration", object{})
	if err != nil {
		return nil, err
	}
	found, _ := answer["sso_configuration"].(object)
	names := same("id", "sso_identifier", "login_url", "callback_url")
	maps.Copy(names, connectionFields)
	return pick(found, names), orGone(found)
}
