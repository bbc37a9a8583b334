package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	dataschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
)

func sources() []source {
	return []source{
		accountSource(),
		workspaceSource(),
		clustersSource(),
		clusterSource("virtual_cluster", "byoc", "A Kafka cluster."),
		clusterSource("schema_registry", "byoc_schema_registry", "A schema registry."),
		clusterSource("tableflow_cluster", "byoc_data_lake", "A data lake cluster."),
		subscriptionsSource(),
		agentKeysSource(),
		applicationKeysSource(),
		userRoleSource(),
		ssoSource(),
	}
}

func accountSource() source {
	return source{
		name: "account",
		schema: dataschema.Schema{
			Description: "The account of the key of the provider.",
			Attributes:  dataAttributes{"id": foundText("The id."), "name": foundText("The name.")},
		},
		read: func(ctx context.Context, api *client, _ object) (object, error) {
			answer, err := api.call(ctx, "get_context", object{})
			found, _ := answer["account"].(object)
			return pick(found, same("id", "name")), err
		},
	}
}

// One of a list, by its id or by its name.
type listed struct {
	operation, field string
	// Whether one of the list is of this kind; absent if all are.
	isOne func(one object) bool
	// Names differ from what was made with them if the control plane puts a prefix in front of them.
	isNamed func(one object, name string) bool
}

func (l listed) find(ctx context.Context, api *client, asked object) (object, error) {
	answer, err := api.call(ctx, l.operation, object{})
	if err != nil {
		return nil, err
	}
	isWanted := func(one object) bool { return text(one, "name") == text(asked, "name") }
	if id, ok := asked["id"]; ok {
		isWanted = func(one object) bool { return one["id"] == id }
	} else if l.isNamed != nil {
		isWanted = func(one object) bool { return l.isNamed(one, text(asked, "name")) }
	}
	var found object
	for _, one := range list(answer, l.field) {
		if (l.isOne != nil && !l.isOne(one)) || !isWanted(one) {
			continue
		}
		if found != nil {
			return nil, errors.New("several workspaces have one with this name; give its id")
		}
		found = one
	}
	if found == nil {
		return nil, fmt.Errorf("there is none with the id or the name %q", text(asked, "id")+text(asked, "name"))
	}
	return found, nil
}

var idOrName = []string{"id", "name"}

func identity(more dataAttributes) dataAttributes {
	all := dataAttributes{
		"id":   askedOrFound("The id, if it is not found by its name."),
		"name": askedOrFound("The name, if it is not found by its id."),
	}
	maps.Copy(all, more)
	return all
}

func workspaceSource() source {
	workspaces := listed{operation: "list_workspaces", field: "workspaces"}
	return source{
		name: "workspace",
		schema: dataschema.Schema{
			Description: "A workspace that the key of the provider can access.",
			Attributes:  identity(dataAttributes{"created_at": foundText("When it was created.")}),
		},
		oneOf: idOrName,
		read: func(ctx context.Context, api *client, asked object) (object, error) {
			found, err := workspaces.find(ctx, api, asked)
			return workspaceOf(found), err
		},
	}
}

func grantsAttribute() dataschema.ListNestedAttribute {
	return foundList("What it may do, by workspace.", dataAttributes{
		"workspace_id": foundText("The workspace, or * for all."),
		"grant_type":   foundText("admin, read_records, read_only or read_audit_log; empty if the key says all."),
	})
}

func userRoleSource() source {
	roles := listed{operation: "list_user_roles", field: "user_roles"}
	return source{
		name: "user_role",
		schema: dataschema.Schema{
			Description: "A role. It needs an account key.",
			Attributes: identity(dataAttributes{
				"access_grants": grantsAttribute(),
				"created_at":    foundText("When it was created."),
			}),
		},
		oneOf: idOrName,
		read: func(ctx context.Context, api *client, asked object) (object, error) {
			found, err := roles.find(ctx, api, asked)
			return roleOf(found), err
		},
	}
}

func ssoSource() source {
	return source{
		name: "sso_configuration",
		schema: dataschema.Schema{
			Description: "The OpenID Connect connection of the account, without its secret. It needs an account key.",
			Attributes: dataAttributes{
				"id":                      foundText("The id."),
				"sso_identifier":          foundText("The end of its URLs."),
				"issuer_url":              foundText("The issuer."),
				"client_id":               foundText("The client at the issuer."),
				"default_role_id":         foundText("The role of users to whom the claim gives none."),
				"enable_sso_role_mapping": foundFlag("Whether roles follow the claim."),
				"role_claim":              foundText("The claim whose values are names of roles."),
				"login_url":               foundText("Where users sign in."),
				"callback_url":            foundText("The redirect URI to allow at the issuer."),
			},
		},
		read: func(ctx context.Context, api *client, _ object) (object, error) {
			found, err := connection(ctx, api)
			if err == errGone {
				err = errors.New("the account has no connection")
			}
			return found, err
		},
	}
}

// What clusters of all types have.
func clusterAttributes() dataAttributes {
	return dataAttributes{
		"id":           foundText("The id."),
		"name":         foundText("The name, without its prefix."),
		"type":         foundText("byoc, byoc_schema_registry or byoc_data_lake."),
		"tier":         foundText("The tier."),
		"workspace_id": foundText("The workspace."),
		"cloud": foundOne("Where it is.", dataAttributes{
			"provider":     foundText("aws, gcp or azure."),
			"region":       foundText("The region."),
			"region_group": foundText("The group of regions, if it is in one."),
		}),
		"agent_pool_id":   foundText("The agent group."),
		"agent_pool_name": foundText("The name of the agent group, with its prefix."),
		"bootstrap_url":   foundText("The bootstrap server for Kafka clients, if known."),
		"created_at":      foundText("When it was created."),
	}
}

func clusterOf(found object) object {
	return with(
		pick(found, same(
			"id", "type", "tier", "workspace_id", "agent_pool_id", "agent_pool_name", "bootstrap_url", "created_at",
		)),
		object{"name": withoutPrefix(text(found, "name")), "cloud": cloudOf(found)},
	)
}

func clustersSource() source {
	return source{
		name: "virtual_clusters",
		schema: dataschema.Schema{
			Description: "The clusters of all types that the key of the provider can access.",
			Attributes: dataAttributes{
				"workspace_id":     limit("Only those of this workspace."),
				"virtual_clusters": foundList("The clusters by name.", clusterAttributes()),
			},
		},
		read: func(ctx context.Context, api *client, asked object) (object, error) {
			answer, err := api.call(ctx, "list_virtual_clusters", asked)
			all := []any{}
			for _, one := range list(answer, "virtual_clusters") {
				all = append(all, clusterOf(one))
			}
			return object{"virtual_clusters": all}, err
		},
	}
}

// Fields of the configuration of a Kafka cluster, as the API describes them.
var configurationFound = map[string]string{
	"is_auto_create_topic_enabled": "auto_create_topic",
	"default_num_partitions":       "default_num_partitions",
	"default_retention_millis":     "default_retention_millis",
	"default_topic_type":           "default_topic_type",
	"are_acls_enabled":             "enable_acls",
	"acl_shadowing_enabled":        "enable_acl_shadowing",
	"enable_deletion_protection":   "enable_deletion_protection",
	"soft_delete_topics_enabled":   "enable_soft_topic_deletion",
}

const nanosOfMilli = 1e6

func clusterSource(name, clusterType, about string) source {
	isKafka := clusterType == "byoc"
	clusters := listed{
		operation: "list_virtual_clusters",
		field:     "virtual_clusters",
		isOne:     func(one object) bool { return text(one, "type") == clusterType },
		isNamed: func(one object, name string) bool {
			return text(one, "name") == name || withoutPrefix(text(one, "name")) == name
		},
	}
	all := clusterAttributes()
	maps.Copy(all, identity(dataAttributes{"tags": foundTexts("Its tags.")}))
	if isKafka {
		all["configuration"] = foundOne("Its settings.", dataAttributes{
			"auto_create_topic":              foundFlag("Whether producers create topics."),
			"default_num_partitions":         foundNumber("Partitions of new topics."),
			"default_retention_millis":       foundNumber("Retention of topics."),
			"default_topic_type":             foundText("classic or lightning."),
			"enable_acls":                    foundFlag("Whether ACLs are enforced."),
			"enable_acl_shadowing":           foundFlag("Whether ACLs only report what they would deny."),
			"enable_deletion_protection":     foundFlag("Whether the cluster is protected from deletion."),
			"enable_soft_topic_deletion":     foundFlag("Whether deleted topics can be restored."),
			"soft_topic_deletion_ttl_millis": foundNumber("For how long."),
		})
	}
	return source{
		name:   name,
		schema: dataschema.Schema{Description: about, Attributes: all},
		oneOf:  idOrName,
		read: func(ctx context.Context, api *client, asked object) (object, error) {
			found, err := clusters.find(ctx, api, asked)
			if err != nil {
				return nil, err
			}
			id := object{clusterAttribute: found["id"]}
			answer, err := api.call(ctx, "describe_virtual_cluster_tags", id)
			if err != nil {
				return nil, err
			}
			cluster := with(clusterOf(found), object{"tags": answer["tags"]})
			if !isKafka {
				return cluster, nil
			}
			answer, err = api.call(ctx, "describe_virtual_cluster_configuration", id)
			if err != nil {
				return nil, err
			}
			now, _ := answer["virtual_cluster_configuration"].(object)
			configuration := pick(now, configurationFound)
			if nanos, ok := now["inactive_topics_ttl"].(float64); ok {
				configuration["soft_topic_deletion_ttl_millis"] = nanos / nanosOfMilli
			}
			return with(cluster, object{"configuration": configuration}), nil
		},
	}
}

func subscriptionsSource() source {
	return source{
		name: "client_metrics_subscriptions",
		schema: dataschema.Schema{
			Description: "Which metrics the clients of a Kafka cluster push.",
			Attributes: dataAttributes{
				clusterAttribute: asked("The cluster."),
				"client_metrics_subscriptions": foundList("The subscriptions by name.", dataAttributes{
					"name":        foundText("The name."),
					"interval_ms": foundNumber("How often clients push, in milliseconds."),
					"metrics":     foundText("Prefixes of names of metrics."),
					"match":       foundText("Pairs of a selector and a pattern."),
				}),
			},
		},
		read: func(ctx context.Context, api *client, asked object) (object, error) {
			answer, err := api.call(ctx, "list_client_metrics_subscriptions", asked)
			all := []any{}
			for _, one := range list(answer, "subscriptions") {
				all = append(all, pick(one, subscriptionFields))
			}
			return object{"client_metrics_subscriptions": all}, err
		},
	}
}

// Keys without their secrets, which the control plane returns once.
func keysSource(
	name, about string,
	asked, more dataAttributes,
	// What a key of this kind has beside, or nil if it is of another kind or not asked for.
	shapeOf func(asked, key, grant object) object,
) source {
	each := dataAttributes{
		"id":         foundText("The id."),
		"name":       foundText("The name, without its prefix."),
		"read_only":  foundFlag("Whether it only reads."),
		"key_hint":   foundText("The last four characters of the secret."),
		"created_at": foundText("When it was created."),
	}
	maps.Copy(each, more)
	all := dataAttributes{name: foundList("The keys by name.", each)}
	maps.Copy(all, asked)
	return source{
		name:   name,
		schema: dataschema.Schema{Description: about, Attributes: all},
		read: func(ctx context.Context, api *client, asked object) (object, error) {
			answer, err := api.call(ctx, "list_api_keys", pick(asked, same("workspace_id")))
			keys := []any{}
			for _, one := range list(answer, "api_keys") {
				grants := list(one, "access_grants")
				if len(grants) == 0 {
					continue
				}
				if shape := shapeOf(asked, one, grants[0]); shape != nil {
					keys = append(keys, with(with(pick(one, same("id", "key_hint", "created_at")), shape), object{
						"name":      strings.TrimPrefix(text(one, "name"), "akn_"),
						"read_only": strings.HasSuffix(text(grants[0], "principal_kind"), readOnlySuffix),
					}))
				}
			}
			return object{name: keys}, err
		},
	}
}

const readOnlySuffix = "_r"

func isOf(grant object, principal string) bool {
	return strings.TrimSuffix(text(grant, "principal_kind"), readOnlySuffix) == principal
}

func agentKeysSource() source {
	return keysSource(
		"agent_keys", "The keys of agents.",
		dataAttributes{clusterAttribute: limit("Only those of this cluster.")},
		dataAttributes{clusterAttribute: foundText("The cluster of the agents.")},
		func(asked, _, grant object) object {
			wanted, ok := asked[clusterAttribute]
			if !isOf(grant, "agent") || (ok && grant["resource_id"] != wanted) {
				return nil
			}
			return object{clusterAttribute: grant["resource_id"]}
		},
	)
}

func applicationKeysSource() source {
	return keysSource(
		"application_keys", "The keys of programs that call the API.",
		dataAttributes{"workspace_id": limit("Only those of this workspace.")},
		dataAttributes{"access_grants": grantsAttribute()},
		func(_, key, grant object) object {
			if !isOf(grant, "app") {
				return nil
			}
			return object{"access_grants": grantsFound(key)}
		},
	)
}
