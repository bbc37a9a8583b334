import {
  type AgentDescription,
  type ConfigResourceKind,
  type DescribedConfig,
  describeConfigs,
  type StoredConfigResource,
} from '@weir/cluster';
import { type Apis, type ErrorName, errors, type RequestOf, type ResponseOf } from '@weir/wire';
import { configsOfBroker } from '../cluster/broker-configs.ts';
import { ifAvailable } from '../cluster-calls/if-available.ts';
import {
  agentByName,
  brokerNameProblem,
  brokerProblem,
  configDenial,
  configResourceType,
  unknownType,
} from '../configs/config-resources.ts';
import { configSourceCode } from '../configs/described-topic-configs.ts';
import { brokerLimits } from '../limits.ts';
import { brokerFacts, type ListenerProtocol } from '../placement/broker-facts.ts';
import type { HandlerOf, RequestContext } from '../requests/handler.ts';
import { mapInTurns } from '../requests/turns.ts';
import { isTopicName } from '../topics/topic-name.ts';

type Api = Apis['DescribeConfigs'];
type Resource = RequestOf<Api>['resources'][number];
type Result = ResponseOf<Api>['results'][number];
type Texts = Readonly<Record<string, string>>;

const typeCode: Readonly<Record<DescribedConfig['type'], number>> = {
  BOOLEAN: 1,
  STRING: 2,
  INT: 3,
  LONG: 5,
  DOUBLE: 6,
  LIST: 7,
};

/**
 * DescribeConfigs v1 to v4. Configs of topics and of the cluster are in the cluster view; those of groups and client
 * metrics subscriptions come from the control plane.
 *
 * - A broker has its own configs, those of the cluster and its address; any agent describes any broker. The empty name
 *   returns all cluster-wide configs, too. A broker that does not exist is INVALID_REQUEST, unless configs are set for
 *   it. Broker loggers have no configs.
 * - Synonyms are ordered from the most specific to the default, each under the name by which it can be set there.
 * - A topic that does not exist is UNKNOWN_TOPIC_OR_PARTITION. An unknown group or subscription has defaults.
 * - Without names, or with an empty list of them, all configs are described. Unknown names are omitted. Once
 *   `brokerLimits.describedConfigsMax` configs are described, the remaining resources are INVALID_REQUEST.
 * - Requires DESCRIBE_CONFIGS on the topic or group, and on the cluster for everything else.
 */
export function describeConfigsHandler({ self, agentConfigs, protocol }: DescribingAgent): HandlerOf<Api> {
  return async (request, context) => {
    const { includeSynonyms, includeDocumentation } = request;
    const known: readonly number[] = Object.values(configResourceType);
    const other = request.resources.find(({ resourceType }) => !known.includes(resourceType));
    if (other !== undefined) {
      // As in Kafka, where such a request fails as a whole.
      const message = unknownType(other.resourceType);
      const results = await mapInTurns(request.resources, context.clock, (resource) =>
        failed(resource, 'INVALID_REQUEST', message),
      );
      return { throttleTimeMs: 0, results };
    }
    const denials = await mapInTurns(request.resources, context.clock, (resource) =>
      configDenial(resource, 'DESCRIBE_CONFIGS', context.access),
    );
    const permitted = request.resources.filter((_, index) => denials[index] === undefined);
    const stored = await storedConfigsOf(permitted, context);
    const ownTexts = configsOfBroker(context.cluster, self().nodeId);
    let left = brokerLimits.describedConfigsMax;

    function factsOf(nodeId: string): Texts {
      const agent = agentByName(nodeId, self(), context.cluster);
      return agent === undefined ? {} : brokerFacts(agent, protocol, context.cluster.clusterId);
    }

    function describe(resource: Resource): Result {
      if (left <= 0) {
        return failed(resource, 'INVALID_REQUEST', 'too many resources in one request');
      }
      const { resourceName } = resource;
      switch (resource.resourceType) {
        case configResourceType.topic: {
          if (!isTopicName(resourceName)) {
            return failed(resource, 'INVALID_TOPIC_EXCEPTION', `invalid topic name ${resourceName}`);
          }
          const topic = context.cluster.topicByName(resourceName);
          if (topic === undefined) {
            return failed(resource, 'UNKNOWN_TOPIC_OR_PARTITION', `unknown topic ${resourceName}`);
          }
          return described(resource, 'topic', topic.configs);
        }
        case configResourceType.broker: {
          if (resourceName === '') return described(resource, 'cluster', context.cluster.clusterConfigs());
          const problem = brokerProblem(resourceName, self(), context.cluster);
          if (problem !== undefined) return failed(resource, 'INVALID_REQUEST', problem);
          return described(resource, 'broker', configsOfBroker(context.cluster, resourceName));
        }
        case configResourceType.brokerLogger: {
          const problem = brokerNameProblem(resourceName);
          return problem === undefined ? answer(resource, []) : failed(resource, 'INVALID_REQUEST', problem);
        }
        case configResourceType.group:
        case configResourceType.clientMetrics: {
          if (resourceName === '') return failed(resource, 'INVALID_REQUEST', 'resource name is empty');
          const texts = stored?.get(resource);
          if (texts === undefined) {
            return failed(resource, 'COORDINATOR_NOT_AVAILABLE', errors.COORDINATOR_NOT_AVAILABLE.message);
          }
          return described(resource, storedKind(resource), texts);
        }
        default:
          return failed(resource, 'INVALID_REQUEST', unknownType(resource.resourceType));
      }
    }

    function described(resource: Resource, kind: ConfigResourceKind, texts: Texts): Result {
      const configs = describeConfigs(kind, {
        texts,
        clusterTexts: context.cluster.clusterConfigs(),
        agentTexts: kind === 'broker' ? { ...agentConfigs, ...factsOf(resource.resourceName) } : agentConfigs,
        brokerTexts: ownTexts,
        names: resource.configurationKeys?.length === 0 ? null : resource.configurationKeys,
      });
      left -= configs.length;
      return answer(resource, configs);
    }

    function answer({ resourceType, resourceName }: Resource, configs: readonly DescribedConfig[]): Result {
      return {
        errorCode: errors.NONE.code,
        errorMessage: null,
        resourceType,
        resourceName,
        configs: configs.map((config) => ({
          name: config.name,
          value: config.value,
          readOnly: config.isReadOnly,
          configSource: configSourceCode[config.source],
          isSensitive: config.isSensitive,
          synonyms: includeSynonyms
            ? config.synonyms.map(({ name, value, source }) => ({
                name,
                value,
                source: configSourceCode[source],
              }))
            : [],
          configType: typeCode[config.type],
          documentation: includeDocumentation ? config.documentation : null,
        })),
      };
    }

    const results = await mapInTurns(
      request.resources,
      context.clock,
      (resource, index) => {
        const denial = denials[index];
        return denial === undefined ? describe(resource) : failed(resource, denial, errors[denial].message);
      },
      ({ configs }) => 1 + configs.length,
    );
    return { throttleTimeMs: 0, results };
  };
}

/** The agent that serves the request. */
interface DescribingAgent {
  readonly self: () => AgentDescription;
  /** Values of its flags, by the names of cluster configs. */
  readonly agentConfigs: Texts;
  readonly protocol: ListenerProtocol;
}

function failed({ resourceType, resourceName }: Resource, error: ErrorName, message: string): Result {
  return { errorCode: errors[error].code, errorMessage: message, resourceType, resourceName, configs: [] };
}

/** Returns the configs that are set for groups and subscriptions; `undefined` if the control plane is unavailable. */
async function storedConfigsOf(
  resources: readonly Resource[],
  { cluster }: RequestContext,
): Promise<ReadonlyMap<Resource, Texts> | undefined> {
  const stored = resources.filter(
    ({ resourceType, resourceName }) =>
      resourceName !== '' &&
      (resourceType === configResourceType.group || resourceType === configResourceType.clientMetrics),
  );
  if (stored.length === 0) return new Map();
  const answers = await ifAvailable(cluster.port.describeConfigs(stored.map(asStored)));
  return answers && new Map(stored.map((resource, index) => [resource, answers[index]!]));
}

function asStored(resource: Resource): StoredConfigResource {
  return { kind: storedKind(resource), name: resource.resourceName };
}

function storedKind({ resourceType }: Resource): StoredConfigResource['kind'] {
  return resourceType === configResourceType.group ? 'group' : 'clientMetrics';
}
