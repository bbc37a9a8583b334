package main

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/setplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
)

// With what agents and programs reach the control plane.

// What keys of agents and of applications share.
func key(
	name, about string,
	more attributes,
	grantsOf func(plan object) []any,
	// The attributes that say what a key may do, by its first grant and the names of what it reads beside.
	attributesOf func(grant object, reads map[string]bool) object,
) kind {
	all := attributes{
		"id":        computed("The id."),
		"name":      fixed("The name, unique in the account."),
		"read_only": fixedFlag("Whether it only reads."),
		"key":       secret("The secret."),
	}
	maps.Copy(all, more)
	describe := func(found object) object {
		grants := list(found, "access_grants")
		if len(grants) == 0 {
			return object{}
		}
		reads := map[string]bool{}
		for _, grant := range grants {
			reads[text(grant, "managed_grant_name")] = true
		}
		return attributesOf(grants[0], reads)
	}
	return kind{
		name:   name,
		schema: schema.Schema{Description: about, Attributes: all},
		create: func(ctx context.Context, api *client, plan object) (object, error) {
			answer, err := api.call(ctx, "create_api_key", with(object{
				"name": plan["name"], "access_grants": grantsOf(plan),
			}, pick(plan, map[string]string{"virtual_cluster_type": "virtual_cluster_type"})))
			if err != nil {
				return nil, err
			}
			// What the plan leaves open is what the control plane chose.
			return with(with(describe(answer), plan), pick(answer, map[string]string{"id": "id", "key": "key"})), nil
		},
		read: func(ctx context.Context, api *client, state object) (object, error) {
			answer, err := api.call(ctx, "list_api_keys", object{})
			if err != nil {
				return nil, err
			}
			found := find(list(answer, "api_keys"), "id", text(state, "id"))
			if found == nil {
				return nil, errGone
			}
			// A key never changes, so that only one that was imported has anything to learn.
			return with(describe(found), named(state, found, "akn_")), nil
		},
		remove: func(ctx context.Context, api *client, state object) error {
			_, err := api.call(ctx, "delete_api_key", object{"api_key_id": state["id"]})
			return err
		},
		importBy: []string{"id"},
	}
}

func principalOf(plan object, writes, reads string) string {
	if plan["read_only"] == true {
		return reads
	}
	return writes
}

// Flags that are off are left out, as configurations leave them out.
func flagged(given object, flags map[string]bool) object {
	all := with(given, object{})
	for name, isOn := range flags {
		if isOn {
			all[name] = true
		}
	}
	return all
}

func agentKey() kind {
	grantsOf := func(plan object) []any {
		return []any{object{
			"principal_kind":     principalOf(plan, "agent", "agent_r"),
			"resource_kind":      "virtual_cluster",
			"resource_id":        plan[clusterAttribute],
			"workspace_id":       "",
			"managed_grant_name": "",
		}}
	}
	attributesOf := func(grant object, _ map[string]bool) object {
		return flagged(
			object{clusterAttribute: grant["resource_id"]},
			map[string]bool{"read_only": grant["principal_kind"] == "agent_r"},
		)
	}
	// The API does not return it: the id of the cluster says what it is. An imported key has none.
	typeOfCluster := option("byoc_schema_registry or byoc_data_lake for agents of those.")
	changes := func(_ context.Context, req planmodifier.StringRequest, resp *stringplanmodifier.RequiresReplaceIfFuncResponse) {
		resp.RequiresReplace = !req.PlanValue.IsNull() && !req.StateValue.IsNull()
	}
	typeOfCluster.PlanModifiers = []planmodifier.String{stringplanmodifier.RequiresReplaceIf(changes, replaces, replaces)}
	return key("agent_key", "The key with which agents of one cluster reach the control plane.", attributes{
		clusterAttribute:       fixed("The cluster of the agents."),
		"virtual_cluster_type": typeOfCluster,
	}, grantsOf, attributesOf)
}

func applicationKey() kind {
	grantsOf := func(plan object) []any {
		reads := []string{}
		for _, name := range []string{"read_records", "read_audit_log"} {
			if plan[name] == true {
				reads = append(reads, name)
			}
		}
		if len(reads) == 0 {
			reads = append(reads, "")
		}
		grants := []any{}
		for _, name := range reads {
			grants = append(grants, object{
				"principal_kind":     principalOf(plan, "app", "app_r"),
				"resource_kind":      "*",
				"resource_id":        "*",
				"workspace_id":       text(plan, "workspace_id"),
				"managed_grant_name": name,
			})
		}
		return grants
	}
	attributesOf := func(grant object, reads map[string]bool) object {
		return flagged(object{"workspace_id": grant["workspace_id"]}, map[string]bool{
			"read_only":      grant["principal_kind"] == "app_r",
			"read_records":   reads["read_records"],
			"read_audit_log": reads["read_audit_log"],
		})
	}
	workspaceOfKey := computed("The workspace; by default the oldest one that the key of the provider can access.")
	workspaceOfKey.Optional = true
	workspaceOfKey.PlanModifiers = append(workspaceOfKey.PlanModifiers, fixedOption("").PlanModifiers...)
	return key("application_key", "The key with which programs call the API in one workspace.", attributes{
		"workspace_id":   workspaceOfKey,
		"read_records":   fixedFlag("Whether a key that only reads may read records of topics too."),
		"read_audit_log": fixedFlag("Whether a key that only reads may read the audit log too."),
	}, grantsOf, attributesOf)
}

func federation() kind {
	shapeOf := func(state, found object) object {
		fields := same(
			"id", clusterAttribute, "name", "issuer_url", "claim_match_rules", "max_credential_ttl_seconds", "audience", "created_at",
		)
		return with(with(state, pick(found, fields)), object{"read_only": flagNow(state, "read_only", found["read_only"])})
	}
	return kind{
		name: "workload_identity_federation",
		schema: schema.Schema{
			Description: "Which tokens of a platform admit agents to a cluster, without a key.",
			Attributes: ofCluster(attributes{
				"name":       fixed("The name, unique in the cluster."),
				"issuer_url": fixed("The issuer, as in the tokens."),
				"claim_match_rules": schema.SetNestedAttribute{
					Required:      true,
					Description:   "The claims that a token must have. All of them must match.",
					PlanModifiers: []planmodifier.Set{setplanmodifier.RequiresReplace()},
					NestedObject: schema.NestedAttributeObject{Attributes: attributes{
						"claim_path":     required("The path of the claim, with dots between names."),
						"expected_value": required("The value. A * at the end matches any rest."),
					}},
				},
				"read_only":                  fixedFlag("Whether its tokens only read, and connect no agents."),
				"max_credential_ttl_seconds": fixedNumber("How long a token admits an agent.", 3600),
				"audience":                   computed("The audience that a token must have."),
				"created_at":                 computed("When it was created."),
			}),
		},
		create: func(ctx context.Context, api *client, plan object) (object, error) {
			answer, err := api.call(ctx, "create_workload_identity_federation", pick(plan, same(
				clusterAttribute, "name", "issuer_url", "claim_match_rules", "read_only", "max_credential_ttl_seconds",
			)))
			if err != nil {
				return nil, err
			}
			return shapeOf(plan, answer), nil
		},
		read: func(ctx context.Context, api *client, state object) (object, error) {
			answer, err := api.call(ctx, "list_workload_identity_federations", object{clusterAttribute: state[clusterAttribute]})
			if err != nil {
				return nil, err
			}
			found := find(list(answer, "workload_identity_federations"), "id", text(state, "id"))
			return shapeOf(state, found), orGone(found)
		},
		remove: func(ctx context.Context, api *client, state object) error {
			_, err := api.call(ctx, "delete_workload_identity_federation", pick(state, same(clusterAttribute, "id")))
			return err
		},
		importBy: []string{clusterAttribute, "id"},
	}
}
