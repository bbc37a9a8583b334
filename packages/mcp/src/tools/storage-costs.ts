import { catalogue, consolePaths } from '@weir/api';
import * as z from 'zod';
import { answerOf } from '../answers/answer.ts';
import { formatArguments } from './arguments.ts';
import { defineClusterTool } from './cluster-tool.ts';

const { input, output } = catalogue.describe_storage_costs;
const { shape } = output;

export const storageCostTools = [
  defineClusterTool({
    name: 'describe_storage_costs',
    icon: 'cluster',
    operations: ['describe_storage_costs'],
    summary: 'Describe what a virtual cluster costs a month in dollars, beside Kafka with three replicas.',
    input: {
      last_seconds: input.shape.last_seconds,
      price_list: input.shape.price_list.describe('The prices.'),
      ...formatArguments,
    },
    output: {
      costs: shape.costs,
      kafka: shape.kafka,
      measured_seconds: shape.measured_seconds,
      stored_bytes: z.int(),
      dead_bytes: shape.dead_bytes,
      ingested_bytes_per_second: shape.ingested_bytes_per_second,
      requests: z.array(z.record(z.string(), z.unknown())),
      prices: z.record(z.string(), z.unknown()).optional(),
    },
    async run({ last_seconds, price_list, format, max_tokens }, context, clusterId) {
      const found = await context.call('describe_storage_costs', {
        virtual_cluster_id: clusterId,
        last_seconds,
        price_list,
      });
      return answerOf(
        {
          costs: found.costs,
          kafka: found.kafka,
          measured_seconds: found.measured_seconds,
          stored_bytes: found.levels.reduce((sum, { bytes }) => sum + bytes, 0),
          dead_bytes: found.dead_bytes,
          ingested_bytes_per_second: found.ingested_bytes_per_second,
          requests: found.requests,
          ...(format === 'detailed' ? { prices: found.prices } : {}),
        },
        {
          hint:
            found.measured_seconds === 0
              ? 'No requests were measured yet, so only storage has a cost; call again in a minute.'
              : `At approximate list prices of ${price_list}, requests at the rate of the last ${Math.round(found.measured_seconds)} s; machines are left out.`,
          console_url: context.consoleUrl(consolePaths.cluster(clusterId)),
        },
        { format, max_tokens },
      );
    },
  }),
];
