import * as z from 'zod';
import { count, examples, integer, list, text, time } from '../fields.ts';
import { clusterInput, defineClusterOperation } from '../operation.ts';
import { type PriceName, priceListNames, priceLists, priceMeanings, priceNames } from '../storage-costs.ts';

const levelsMax = 16;
const bucketsMax = 64;
const daySeconds = 86_400;

const amount = () => z.number().min(0);

const prices = z
  .object(
    Object.fromEntries(
      priceNames.map((name) => [name, amount().describe(`Dollars for ${priceMeanings[name]}.`)]),
    ) as Record<PriceName, z.ZodNumber>,
  )
  .meta({ id: 'StoragePrices', description: 'Prices in US dollars.' });

export const storageCostOperations = [
  defineClusterOperation({
    name: 'describe_storage_costs',
    title: 'Describe storage costs',
    summary:
      'Describe what a virtual cluster stores, which requests its agents send to buckets, and what that costs at approximate list prices, which were not compared with the pages of the providers, or at those of the call. A new leader of the cluster begins to measure anew.',
    input: clusterInput({
      last_seconds: integer(60, daySeconds).default(3600).describe('How far back to measure.'),
      price_list: z.enum(priceListNames).default('s3').describe('The approximate list prices to begin with.'),
      prices: z
        .strictObject(
          Object.fromEntries(
            priceNames.map((name) => [
              name,
              amount().max(1000).optional().describe(`Dollars for ${priceMeanings[name]}.`),
            ]),
          ) as Record<PriceName, z.ZodOptional<z.ZodNumber>>,
        )
        .default({})
        .describe('Prices that replace those of the list.'),
    }),
    output: z.object({
      measured_seconds: z.number().describe('The time that rates are of; 0 if nothing was measured yet.'),
      ingested_bytes_per_second: amount().describe('Bytes of files that agents wrote for producers.'),
      compacted_bytes_per_second: amount().describe('Bytes of files that compactions wrote.'),
      write_amplification: amount()
        .optional()
        .describe(
          'Bytes that compactions wrote, divided by those of producers; absent if these wrote nothing.',
        ),
      levels: list(
        z.object({
          level: count().describe('How often the files were compacted.'),
          files: count().describe('Files with records.'),
          bytes: count().describe('Their size.'),
        }),
        levelsMax,
      ).describe('What is stored.'),
      dead_files: count().describe('Files that wait for their deletion.'),
      dead_bytes: count().describe('Their size.'),
      oldest_dead_at: time()
        .optional()
        .describe('Since when the oldest of them is needed by nothing; absent without any.'),
      deletion_delay_seconds: z
        .number()
        .min(0)
        .describe('How long files wait for their deletion, by `service.file.delete.delay.ms`.'),
      is_deletion_enabled: z
        .boolean()
        .describe('Whether they are deleted at all, by `service.file.delete.enable`.'),
      requests: list(
        z.object({
          bucket: text().describe('The bucket, without secrets.'),
          put_per_second: amount().describe('PUT requests, parts of uploads included.'),
          get_per_second: amount().describe('GET and HEAD requests.'),
          list_per_second: amount().describe('LIST requests.'),
          delete_per_second: amount().describe('DELETE requests, each of up to a thousand objects.'),
        }),
        bucketsMax,
      ).describe('Requests of all agents, repeated and failed ones included.'),
      prices: prices.describe('The prices that were used.'),
      costs: z
        .object({
          storage_month: amount().describe('Storage, as much as there is now.'),
          requests_month: amount().describe('Requests at the measured rate.'),
          month: amount().describe('Both together.'),
          requests_per_gib: amount().optional().describe('Requests per GiB that producers brought.'),
          per_gib: amount().optional().describe('Storage and requests per GiB that producers brought.'),
        })
        .describe('Dollars.'),
      kafka: z
        .object({
          replication_month: amount().describe('Traffic of two followers in other zones.'),
          producers_month: amount().describe('Traffic of producers to leaders in other zones.'),
          disks_month: amount().describe('Three copies on disks that are filled to 60 %.'),
          month: amount().describe('All of it.'),
        })
        .describe(
          'Dollars a month for network and disks of a Kafka cluster with three replicas in three zones and the same records. Machines are left out on both sides.',
        ),
    }),
    example: {
      output: {
        measured_seconds: 3600,
        ingested_bytes_per_second: 1_048_576,
        compacted_bytes_per_second: 1_153_434,
        write_amplification: 1.1,
        levels: [
          { level: 0, files: 310, bytes: 85_983_232 },
          { level: 1, files: 12, bytes: 322_122_547 },
        ],
        dead_files: 32,
        dead_bytes: 8_388_608,
        oldest_dead_at: examples.time,
        deletion_delay_seconds: 600,
        is_deletion_enabled: true,
        requests: [
          {
            bucket: 's3://records',
            put_per_second: 4.3,
            get_per_second: 6.1,
            list_per_second: 0.001,
            delete_per_second: 0.03,
          },
        ],
        prices: priceLists.s3.prices,
        costs: {
          storage_month: 0.0089,
          requests_month: 62.93,
          month: 62.94,
          requests_per_gib: 0.0245,
          per_gib: 0.0245,
        },
        kafka: { replication_month: 102.66, producers_month: 34.22, disks_month: 0.15, month: 137.03 },
      },
    },
  }),
] as const;
