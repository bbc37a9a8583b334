package main

import (
	"context"
	"errors"
	"maps"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

func kinds() []kind {
	return []kind{
		workspace(),
		clusterKind("virtual_cluster", "byoc", "A Kafka cluster."),
		clusterKind("schema_registry", "byoc_schema_registry", "A schema registry."),
		clusterKind("tableflow_cluster", "byoc_data_lake", "A data lake cluster, which makes tables of topics."),
		topic(),
		acl(),
		credentials(),
		agentKey(),
		applicationKey(),
		pipeline(),
	}
}

type attributes = map[string]schema.Attribute

const clusterAttribute = "virtual_cluster_id"

func ofCluster(more attributes) attributes {
	all := attributes{
		"id":             computed("The id."),
		clusterAttribute: fixed("The cluster that it belongs to."),
	}
	maps.Copy(all, more)
	return all
}

func workspace() kind {
	read := func(ctx context.Context, api *client, state object) (object, error) {
		answer, err := api.call(ctx, "list_workspaces", object{})
		if err != nil {
			return nil, err
		}
		found := find(list(answer, "workspaces"), "id", text(state, "id"))
		return pick(found, map[string]string{"id": "id", "name": "name", "created_at": "created_at"}), orGone(found)
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
			return read(ctx, api, object{"id": answer["workspace_id"]})
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

var errGone = &apiError{status: 404, Message: "it does not exist any more"}

func orGone(found object) error {
	if found == nil {
		return errGone
	}
	return nil
}

// A state that was imported has no name yet. The control plane puts a prefix in front of names.
func named(state, found object, prefix string) object {
	if _, ok := state["name"]; ok || found == nil {
		return state
	}
	return with(state, object{"name": strings.TrimPrefix(text(found, "name"), prefix)})
}

func topic() kind {
	protection := "service.deletion.protection.enabled"
	// Configs that the plan sets, deletion protection among them.
	configsOf := func(plan object) object {
		configs := object{}
		for _, one := range list(plan, "config") {
			configs[text(one, "name")] = one["value"]
		}
		if protected, ok := plan["enable_deletion_protection"].(bool); ok {
			configs[protection] = map[bool]string{true: "true", false: "false"}[protected]
		}
		return configs
	}
	target := func(of object) object {
		return object{clusterAttribute: of[clusterAttribute], "topic_name": of["topic_name"]}
	}
	identified := func(of object) object {
		return with(of, object{"id": text(of, clusterAttribute) + "/" + text(of, "topic_name")})
	}
	return kind{
		name: "topic",
		schema: schema.Schema{
			Description: "A topic of a Kafka cluster.",
			Attributes: ofCluster(attributes{
				"topic_name":                 fixed("The name."),
				"partition_count":            schema.Int64Attribute{Required: true, Description: "The number of partitions, which cannot decrease."},
				"enable_deletion_protection": flag("Whether the topic is protected from deletion."),
			}),
			Blocks: map[string]schema.Block{
				"config": schema.SetNestedBlock{
					Description: "A config of the topic. Configs that are not named keep what the cluster says.",
					NestedObject: schema.NestedBlockObject{Attributes: attributes{
						"name":  required("The config, such as retention.ms."),
						"value": required("Its value."),
					}},
				},
			},
		},
		create: func(ctx context.Context, api *client, plan object) (object, error) {
			_, err := api.call(ctx, "create_topic", with(target(plan), object{
				"partition_count": plan["partition_count"], "configs": configsOf(plan),
			}))
			if err != nil {
				return nil, err
			}
			return identified(plan), nil
		},
		read: func(ctx context.Context, api *client, state object) (object, error) {
			answer, err := api.call(ctx, "describe_topic", target(state))
			if err != nil {
				return nil, err
			}
			configs, _ := answer["configs"].(object)
			known := []any{}
			for _, one := range list(state, "config") {
				known = append(known, object{"name": one["name"], "value": configs[text(one, "name")]})
			}
			found := with(state, object{"partition_count": answer["partition_count"], "config": known})
			if _, ok := state["enable_deletion_protection"]; ok {
				found["enable_deletion_protection"] = configs[protection] == "true"
			}
			return identified(found), nil
		},
		update: func(ctx context.Context, api *client, plan, state object) (object, error) {
			configs := configsOf(plan)
			for name := range configsOf(state) {
				if _, ok := configs[name]; !ok {
					configs[name] = nil
				}
			}
			_, err := api.call(ctx, "update_topic", with(target(plan), object{
				"partition_count": plan["partition_count"], "configs": configs,
			}))
			return identified(plan), err
		},
		remove: func(ctx context.Context, api *client, state object) error {
			_, err := api.call(ctx, "delete_topic", target(state))
			return err
		},
		importBy: []string{clusterAttribute, "topic_name"},
	}
}

func acl() kind {
	fields := []string{
		"resource_type", "resource_name", "pattern_type", "principal", "host", "operation", "permission_type",
	}
	ruleOf := func(of object) object {
		rule := object{}
		for _, name := range fields {
			rule[name] = of[name]
		}
		return rule
	}
	idOf := func(of object) string {
		parts := []string{text(of, clusterAttribute)}
		for _, name := range fields {
			parts = append(parts, text(of, name))
		}
		return strings.Join(parts, "/")
	}
	return kind{
		name: "acl",
		schema: schema.Schema{
			Description: "A rule of the ACLs of a Kafka cluster. Its seven fields are its identity.",
			Attributes: ofCluster(attributes{
				"resource_type":   fixed("TOPIC, GROUP, CLUSTER, TRANSACTIONAL_ID, DELEGATION_TOKEN or ANY."),
				"resource_name":   fixed("The name or prefix; kafka-cluster for CLUSTER."),
				"pattern_type":    fixed("LITERAL or PREFIXED."),
				"principal":       fixed("The user, such as User:alice."),
				"host":            fixed("The address of clients; * for all."),
				"operation":       fixed("READ, WRITE and so on."),
				"permission_type": fixed("ALLOW or DENY."),
			}),
		},
		create: func(ctx context.Context, api *client, plan object) (object, error) {
			_, err := api.call(ctx, "virtual_clusters/acls/create", object{
				clusterAttribute: plan[clusterAttribute], "acl": ruleOf(plan),
			})
			if err != nil {
				return nil, err
			}
			return with(plan, object{"id": idOf(plan)}), nil
		},
		read: func(ctx context.Context, api *client, state object) (object, error) {
			answer, err := api.call(ctx, "virtual_clusters/acls/list", object{clusterAttribute: state[clusterAttribute]})
			if err != nil {
				return nil, err
			}
			wanted := idOf(state)
			for _, rule := range list(answer, "acls") {
				if idOf(with(rule, object{clusterAttribute: state[clusterAttribute]})) == wanted {
					return state, nil
				}
			}
			return nil, nil
		},
		remove: func(ctx context.Context, api *client, state object) error {
			_, err := api.call(ctx, "virtual_clusters/acls/delete", object{
				clusterAttribute: state[clusterAttribute], "acls": []any{ruleOf(state)},
			})
			return err
		},
		importBy: append([]string{clusterAttribute}, fields...),
	}
}

func credentials() kind {
	password := secret("The password: the one that is given, or the one that the control plane made.")
	password.Optional = true
	password.PlanModifiers = append(password.PlanModifiers, fixedOption("").PlanModifiers...)
	return kind{
		name: "virtual_cluster_credentials",
		schema: schema.Schema{
			Description: "A user name and a password for clients of a cluster.",
			Attributes: ofCluster(attributes{
				"name":              fixed("The name, unique in the cluster."),
				"cluster_superuser": fixedFlag("Whether ACLs do not apply to it."),
				"read_only":         fixedFlag("Whether it only reads; for schema registries."),
				"username":          computed("The user name."),
				"password":          password,
			}),
		},
		create: func(ctx context.Context, api *client, plan object) (object, error) {
			answer, err := api.call(ctx, "create_virtual_cluster_credentials", with(object{
				clusterAttribute:   plan[clusterAttribute],
				"credentials_name": plan["name"],
			}, pick(plan, map[string]string{
				"cluster_superuser": "is_cluster_superuser",
				"read_only":         "read_only",
				"password":          "imported_password",
			})))
			if err != nil {
				return nil, err
			}
			made := with(plan, pick(answer, map[string]string{"id": "id", "username": "username"}))
			if _, ok := plan["password"]; !ok {
				made["password"] = answer["password"]
			}
			return made, nil
		},
		read: func(ctx context.Context, api *client, state object) (object, error) {
			answer, err := api.call(ctx, "list_virtual_cluster_credentials", object{clusterAttribute: state[clusterAttribute]})
			if err != nil {
				return nil, err
			}
			found := find(list(answer, "credentials"), "id", text(state, "id"))
			return named(state, found, "ccn_"), orGone(found)
		},
		remove: func(ctx context.Context, api *client, state object) error {
			_, err := api.call(ctx, "delete_virtual_cluster_credentials", object{
				clusterAttribute: state[clusterAttribute], "id": state["id"],
			})
			return err
		},
		importBy: []string{clusterAttribute, "id"},
	}
}

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
	return key("agent_key", "The key with which agents of one cluster reach the control plane.", attributes{
		clusterAttribute:       fixed("The cluster of the agents."),
		"virtual_cluster_type": fixedOption("byoc_schema_registry or byoc_data_lake for agents of those."),
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

func pipeline() kind {
	target := func(of object) object {
		return object{clusterAttribute: of[clusterAttribute], "pipeline_id": of["id"]}
	}
	// Stores the configuration and deploys it in the wanted state.
	deploy := func(ctx context.Context, api *client, plan, at object) (object, error) {
		made, err := api.call(ctx, "create_pipeline_configuration", with(target(at), object{
			"configuration_yaml": plan["configuration_yaml"],
		}))
		if err != nil {
			return with(plan, object{"id": at["id"]}), err
		}
		id := made["configuration_id"]
		_, err = api.call(ctx, "change_pipeline_state", with(target(at), object{
			"deployed_configuration_id": id, "desired_state": plan["state"],
		}))
		return with(plan, object{"id": at["id"], "deployed_configuration_id": id}), err
	}
	return kind{
		name: "pipeline",
		schema: schema.Schema{
			Description: "A pipeline of a cluster with its deployed configuration.",
			Attributes: ofCluster(attributes{
				"name":                      fixed("The name, unique in the cluster."),
				"type":                      fixed("bento, orbit, schema_linking or data_lake."),
				"state":                     required("running or paused."),
				"configuration_yaml":        required("The configuration. Secrets belong into named secrets, which it refers to."),
				"deployed_configuration_id": schema.StringAttribute{Computed: true, Description: "The configuration that is deployed."},
			}),
		},
		create: func(ctx context.Context, api *client, plan object) (object, error) {
			made, err := api.call(ctx, "create_pipeline", object{
				clusterAttribute: plan[clusterAttribute], "pipeline_name": plan["name"], "pipeline_type": plan["type"],
			})
			if err != nil {
				return nil, err
			}
			return deploy(ctx, api, plan, with(plan, object{"id": made["pipeline_id"]}))
		},
		read: func(ctx context.Context, api *client, state object) (object, error) {
			answer, err := api.call(ctx, "describe_pipeline", target(state))
			if err != nil {
				return nil, err
			}
			overview, _ := answer["pipeline_overview"].(object)
			if overview == nil {
				return nil, errors.New("describe_pipeline returned no pipeline")
			}
			found := with(state, pick(overview, map[string]string{"name": "name", "type": "type", "state": "state"}))
			deployed := text(overview, "deployed_configuration_id")
			// Another one was deployed by other means. Secrets are read back as stars, so that the text is not compared.
			if deployed != text(state, "deployed_configuration_id") {
				found["deployed_configuration_id"] = deployed
				found["configuration_yaml"] = text(find(list(answer, "pipeline_configurations"), "id", deployed), "configuration_yaml")
			}
			return found, nil
		},
		update: func(ctx context.Context, api *client, plan, state object) (object, error) {
			if plan["configuration_yaml"] != state["configuration_yaml"] {
				return deploy(ctx, api, plan, state)
			}
			_, err := api.call(ctx, "change_pipeline_state", with(target(state), object{"desired_state": plan["state"]}))
			return with(state, object{"state": plan["state"]}), err
		},
		remove: func(ctx context.Context, api *client, state object) error {
			// A pipeline that runs is paused first.
			if text(state, "state") == "running" {
				if _, err := api.call(ctx, "change_pipeline_state", with(target(state), object{"desired_state": "paused"})); err != nil {
					return err
				}
			}
			_, err := api.call(ctx, "delete_pipeline", target(state))
			return err
		},
		importBy: []string{clusterAttribute, "id"},
	}
}
