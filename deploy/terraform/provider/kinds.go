package main

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

func kinds() []kind {
	return []kind{
		clusterKind("virtual_cluster", "byoc", "A Kafka cluster."),
		clusterKind("schema_registry", "byoc_schema_registry", "A schema registry."),
		clusterKind("tableflow_cluster", "byoc_data_lake", "A data lake cluster, which makes tables of topics."),
		topic(),
		acl(),
		credentials(),
		subscription(),
		agentKey(),
		federation(),
		applicationKey(),
		pipeline(),
		workspace(),
		userRole(),
		ssoConfiguration(),
	}
}

const clusterAttribute = "virtual_cluster_id"

func ofCluster(more attributes) attributes {
	all := attributes{
		"id":             computed("The id."),
		clusterAttribute: fixed("The cluster that it belongs to."),
	}
	maps.Copy(all, more)
	return all
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
					return with(state, object{"id": wanted}), nil
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
			return with(named(state, found, "ccn_"), object{
				"username":          found["username"],
				"cluster_superuser": flagNow(state, "cluster_superuser", found["is_cluster_superuser"]),
				"read_only":         flagNow(state, "read_only", found["read_only"]),
			}), orGone(found)
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

var subscriptionFields = same("name", "interval_ms", "metrics", "match")

func subscription() kind {
	describe := func(ctx context.Context, api *client, of object) (object, error) {
		answer, err := api.call(ctx, "describe_client_metrics_subscription", pick(of, same(clusterAttribute, "name")))
		if err != nil {
			return nil, err
		}
		found, _ := answer["client_metrics_subscription"].(object)
		return found, orGone(found)
	}
	identified := func(of object) object {
		return with(of, object{"id": text(of, clusterAttribute) + "/" + text(of, "name")})
	}
	// It is replaced as a whole.
	put := func(ctx context.Context, api *client, plan object) (object, error) {
		_, err := api.call(ctx, "update_client_metrics_subscriptions", object{
			clusterAttribute:               plan[clusterAttribute],
			"client_metrics_subscriptions": []any{pick(plan, subscriptionFields)},
		})
		if err != nil {
			return nil, err
		}
		return identified(plan), nil
	}
	return kind{
		name: "client_metrics_subscription",
		schema: schema.Schema{
			Description: "Which metrics the clients of a Kafka cluster push, and how often. It has at least one of its settings.",
			Attributes: ofCluster(attributes{
				"name":        fixed("The name, unique in the cluster."),
				"interval_ms": number("How often clients push, in milliseconds."),
				"metrics":     option("Prefixes of names of metrics, with commas between them; * for all."),
				"match":       option("Pairs of a selector and a pattern, with commas between them, all of which a client has to match."),
			}),
		},
		create: func(ctx context.Context, api *client, plan object) (object, error) {
			// The operation would replace one that exists.
			if _, err := describe(ctx, api, plan); err == nil {
				return nil, errors.New("the cluster has a subscription with this name; import it")
			} else if !isGone(err) {
				return nil, err
			}
			return put(ctx, api, plan)
		},
		read: func(ctx context.Context, api *client, state object) (object, error) {
			found, err := describe(ctx, api, state)
			if err != nil {
				return nil, err
			}
			return identified(with(pick(found, subscriptionFields), pick(state, same(clusterAttribute)))), nil
		},
		update: func(ctx context.Context, api *client, plan, _ object) (object, error) {
			return put(ctx, api, plan)
		},
		remove: func(ctx context.Context, api *client, state object) error {
			_, err := api.call(ctx, "delete_client_metrics_subscriptions", object{
				clusterAttribute: state[clusterAttribute], "client_metrics_subscription_names": []any{state["name"]},
			})
			return err
		},
		importBy: []string{clusterAttribute, "name"},
	}
}

func pipeline() kind {
	// One text, or parts.
	forms := []string{"configuration_yaml", "configuration_inputs"}
	configurationOf := func(of object) object { return pick(of, same(forms...)) }
	target := func(of object) object {
		return object{clusterAttribute: of[clusterAttribute], "pipeline_id": of["id"]}
	}
	// Stores the configuration and deploys it in the wanted state.
	deploy := func(ctx context.Context, api *client, plan, at object) (object, error) {
		made, err := api.call(ctx, "create_pipeline_configuration", with(target(at), configurationOf(plan)))
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
				"name":               fixed("The name, unique in the cluster."),
				"type":               fixed("bento, orbit, schema_linking or data_lake."),
				"state":              required("running or paused."),
				"configuration_yaml": option("The configuration. Secrets belong into named secrets, which it refers to."),
				"configuration_inputs": schema.ListNestedAttribute{
					Optional:    true,
					Description: "The configuration of a data_lake pipeline in parts, instead of configuration_yaml.",
					NestedObject: schema.NestedAttributeObject{Attributes: attributes{
						"name": required("The name of the part."),
						"yaml": required("The part."),
					}},
				},
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
				configuration := configurationOf(find(list(answer, "pipeline_configurations"), "id", deployed))
				// The text of one that has parts is all of them combined.
				if _, ok := configuration["configuration_inputs"]; ok {
					delete(configuration, "configuration_yaml")
				}
				found = with(with(found, object{"configuration_yaml": nil, "configuration_inputs": nil}), configuration)
				found["deployed_configuration_id"] = deployed
			}
			return found, nil
		},
		update: func(ctx context.Context, api *client, plan, state object) (object, error) {
			if !reflect.DeepEqual(configurationOf(plan), configurationOf(state)) {
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
		oneOf:    forms,
		importBy: []string{clusterAttribute, "id"},
	}
}
