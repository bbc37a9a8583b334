package main

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/objectplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
)

// Fields of the configuration that are fields of the API.
var configurationFields = map[string]string{
	"enable_acls":                "are_acls_enabled",
	"enable_acl_shadowing":       "acl_shadowing_enabled",
	"enable_deletion_protection": "enable_deletion_protection",
}

// Those that are configs of the cluster.
var configurationConfigs = map[string]string{
	"auto_create_topic":              "auto.create.topics.enable",
	"default_num_partitions":         "num.partitions",
	"default_retention_millis":       "log.retention.ms",
	"default_topic_type":             "service.default.topic.type",
	"enable_soft_topic_deletion":     "service.soft.delete.topic.enable",
	"soft_topic_deletion_ttl_millis": "service.soft.delete.topic.ttl.ms",
}

func clusterKind(name, clusterType, about string) kind {
	isKafka := clusterType == "byoc"
	all := attributes{
		"id":           computed("The id, with which agents name the cluster."),
		"name":         required("The name, unique in the workspace."),
		"tier":         option("dev, fundamentals, pro or enterprise."),
		"tags":         texts("Tags."),
		"workspace_id": computed("The workspace."),
		"cloud": schema.SingleNestedAttribute{
			Optional:      true,
			Description:   "Where it is. Nothing depends on it but its name.",
			PlanModifiers: []planmodifier.Object{objectplanmodifier.RequiresReplaceIf(isElsewhere, replaces, replaces)},
			Attributes: attributes{
				"provider":     required("aws, gcp or azure."),
				"region":       option("The region."),
				"region_group": option("The group of regions, instead."),
			},
		},
	}
	if isKafka {
		maps.Copy(all, attributes{
			"configuration": schema.SingleNestedAttribute{
				Optional:    true,
				Description: "Settings of the cluster. Those that are left out are not changed.",
				Attributes: attributes{
					"auto_create_topic":              flag("Whether producers create topics."),
					"default_num_partitions":         number("Partitions of new topics."),
					"default_retention_millis":       number("Retention of topics."),
					"default_topic_type":             option("classic or lightning."),
					"enable_acls":                    flag("Whether ACLs are enforced."),
					"enable_acl_shadowing":           flag("Whether ACLs only report what they would deny."),
					"enable_deletion_protection":     flag("Whether the cluster is protected from deletion."),
					"enable_soft_topic_deletion":     flag("Whether deleted topics can be restored."),
					"soft_topic_deletion_ttl_millis": number("For how long."),
				},
			},
			"broker_configuration": texts("Further configs of the cluster, by name."),
			"events": schema.SingleNestedAttribute{
				Optional:    true,
				Description: "Which events are recorded.",
				Attributes: attributes{
					"enabled": schema.BoolAttribute{Required: true, Description: "Whether any are."},
					"event_types": schema.MapNestedAttribute{
						Optional:    true,
						Description: "Settings by type. Types that are left out are not changed.",
						NestedObject: schema.NestedAttributeObject{Attributes: attributes{
							"enabled":                flag("Whether the type is recorded."),
							"retention_period_nanos": number("For how long."),
						}},
					},
				},
			},
		})
	}
	return kind{
		name:   name,
		schema: schema.Schema{Description: about, Attributes: all},
		create: func(ctx context.Context, api *client, plan object) (object, error) {
			input := object{
				"virtual_cluster_name":    plan["name"],
				"virtual_cluster_type":    clusterType,
				"skip_agent_key_creation": true,
			}
			maps.Copy(input, pick(plan, map[string]string{"tier": "virtual_cluster_tier", "tags": "virtual_cluster_tags"}))
			if cloud, ok := plan["cloud"].(object); ok {
				maps.Copy(input, pick(cloud, map[string]string{
					"provider":     "virtual_cluster_cloud_provider",
					"region":       "virtual_cluster_region",
					"region_group": "virtual_cluster_region_group",
				}))
			}
			answer, err := api.call(ctx, "create_virtual_cluster", input)
			if err != nil {
				return nil, err
			}
			made := with(plan, object{"id": answer["virtual_cluster_id"], "workspace_id": answer["workspace_id"]})
			return made, configure(ctx, api, made, object{})
		},
		read: readCluster,
		update: func(ctx context.Context, api *client, plan, state object) (object, error) {
			id := object{clusterAttribute: state["id"]}
			changed := with(plan, object{"id": state["id"], "workspace_id": state["workspace_id"]})
			if plan["name"] != state["name"] {
				if _, err := api.call(ctx, "rename_virtual_cluster", with(id, object{"new_virtual_cluster_name": plan["name"]})); err != nil {
					return nil, err
				}
			}
			if tier, ok := plan["tier"]; ok && tier != state["tier"] {
				if _, err := api.call(ctx, "update_virtual_cluster_tier", with(id, object{"tier": tier})); err != nil {
					return nil, err
				}
			}
			tags, _ := plan["tags"].(object)
			before, _ := state["tags"].(object)
			if !maps.Equal(tags, before) {
				if _, err := api.call(ctx, "update_virtual_cluster_tags", with(id, object{"tags": with(object{}, tags)})); err != nil {
					return nil, err
				}
			}
			return changed, configure(ctx, api, changed, state)
		},
		remove: func(ctx context.Context, api *client, state object) error {
			_, err := api.call(ctx, "delete_virtual_cluster", object{
				clusterAttribute: state["id"], "virtual_cluster_name": state["name"],
			})
			return err
		},
		importBy: []string{"id"},
	}
}

// Whether a place is another one. An imported cluster has more of it in its state than a configuration may name.
func isElsewhere(_ context.Context, req planmodifier.ObjectRequest, resp *objectplanmodifier.RequiresReplaceIfFuncResponse) {
	before := req.StateValue.Attributes()
	resp.RequiresReplace = req.PlanValue.IsUnknown()
	for name, wanted := range req.PlanValue.Attributes() {
		if now, ok := before[name]; !wanted.IsNull() && !(ok && wanted.Equal(now)) {
			resp.RequiresReplace = true
		}
	}
}

// Where a cluster is, as attributes.
func cloudOf(cluster object) object {
	place, _ := cluster["cluster_region"].(object)
	cloud := object{"provider": cluster["cloud_provider"]}
	for _, name := range []string{"region", "region_group"} {
		if found, ok := place[name].(object); ok {
			cloud[name] = found["name"]
		}
	}
	return cloud
}

func describe(ctx context.Context, api *client, id string) (object, error) {
	answer, err := api.call(ctx, "describe_virtual_cluster", object{clusterAttribute: id})
	if err != nil {
		return nil, err
	}
	found, _ := answer["virtual_cluster"].(object)
	return found, orGone(found)
}

// The control plane puts a prefix in front of names.
func withoutPrefix(name string) string {
	for _, prefix := range []string{"vcn_sr_", "vcn_dl_", "vcn_"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			return rest
		}
	}
	return name
}

// Configs as the API has them, which are all texts.
func configsOf(of object) object {
	configs := object{}
	given, _ := of["configuration"].(object)
	for name, config := range configurationConfigs {
		if value, ok := given[name]; ok {
			configs[config] = configText(value)
		}
	}
	broker, _ := of["broker_configuration"].(object)
	maps.Copy(configs, broker)
	return configs
}

func configText(value any) string {
	if number, ok := value.(float64); ok {
		return fmt.Sprintf("%.0f", number)
	}
	return fmt.Sprint(value)
}

// Brings settings and events to what is planned. What is not planned any more goes back to its default.
func configure(ctx context.Context, api *client, plan, state object) error {
	id := object{clusterAttribute: plan["id"]}
	given, _ := plan["configuration"].(object)
	change := pick(given, configurationFields)
	configs := configsOf(plan)
	reset := []any{}
	for name := range configsOf(state) {
		if _, ok := configs[name]; !ok {
			reset = append(reset, name)
		}
	}
	if len(configs) > 0 {
		change["broker_configs"] = configs
	}
	if len(reset) > 0 {
		change["reset_broker_configs"] = reset
	}
	if len(change) > 0 {
		if _, err := api.call(ctx, "update_virtual_cluster_configuration", with(id, object{"virtual_cluster_configuration": change})); err != nil {
			return err
		}
	}
	if events, ok := plan["events"].(object); ok {
		if _, err := api.call(ctx, "update_events_state", with(id, events)); err != nil {
			return err
		}
	}
	return nil
}

// Reads what the state has, so that settings which are not managed are no difference.
func readCluster(ctx context.Context, api *client, state object) (object, error) {
	id := text(state, "id")
	cluster, err := describe(ctx, api, id)
	if err != nil {
		return nil, err
	}
	found := with(state, object{"workspace_id": cluster["workspace_id"]})
	// It never changes, so that only a cluster that was imported has it to learn.
	if _, ok := state["name"]; !ok {
		found["cloud"] = cloudOf(cluster)
	}
	// A name may be given with or without its prefix.
	if name := text(cluster, "name"); text(state, "name") != name {
		found["name"] = withoutPrefix(name)
	}
	if _, ok := state["tier"]; ok {
		found["tier"] = cluster["tier"]
	}
	if _, ok := state["tags"]; ok {
		answer, err := api.call(ctx, "describe_virtual_cluster_tags", object{clusterAttribute: id})
		if err != nil {
			return nil, err
		}
		found["tags"] = answer["tags"]
	}
	if err := readConfiguration(ctx, api, id, found); err != nil {
		return nil, err
	}
	return found, readEvents(ctx, api, id, found)
}

func readConfiguration(ctx context.Context, api *client, id string, found object) error {
	given, hasGiven := found["configuration"].(object)
	broker, hasBroker := found["broker_configuration"].(object)
	if !hasGiven && !hasBroker {
		return nil
	}
	answer, err := api.call(ctx, "describe_virtual_cluster_configuration", object{clusterAttribute: id})
	if err != nil {
		return err
	}
	configuration, _ := answer["virtual_cluster_configuration"].(object)
	configs, _ := configuration["broker_configs"].(object)
	if hasGiven {
		now := object{}
		for name, before := range given {
			now[name] = before
			if field, ok := configurationFields[name]; ok {
				now[name] = configuration[field]
			} else if value, ok := configs[configurationConfigs[name]]; ok && configText(before) != value {
				now[name] = likeBefore(before, text(configs, configurationConfigs[name]))
			}
		}
		found["configuration"] = now
	}
	if hasBroker {
		now := object{}
		for name := range broker {
			if value, ok := configs[name]; ok {
				now[name] = value
			}
		}
		found["broker_configuration"] = now
	}
	return nil
}

// A config as the type that it has in the state.
func likeBefore(before any, now string) any {
	switch before.(type) {
	case bool:
		return now == "true"
	case float64:
		var number float64
		if _, err := fmt.Sscan(now, &number); err == nil {
			return number
		}
	}
	return now
}

func readEvents(ctx context.Context, api *client, id string, found object) error {
	events, ok := found["events"].(object)
	if !ok {
		return nil
	}
	answer, err := api.call(ctx, "get_events_state", object{clusterAttribute: id})
	if err != nil {
		return err
	}
	now := object{"enabled": answer["enabled"]}
	if before, ok := events["event_types"].(object); ok {
		all, _ := answer["event_types"].(object)
		known := object{}
		for name, given := range before {
			one, _ := all[name].(object)
			settings := object{}
			fields, _ := given.(object)
			for field := range fields {
				settings[field] = one[field]
			}
			known[name] = settings
		}
		now["event_types"] = known
	}
	found["events"] = now
	return nil
}
