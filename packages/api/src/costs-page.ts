import { GiB, KiB, MiB } from '@weir/core';
import {
  agentPerFetchedGb,
  agentShareMax,
  capacityFor,
  exampleDemand,
  leaderShareMax,
  readBytes,
  uploadPartBytes,
  writeAmplification,
} from './capacity.ts';
import {
  comparedKafka,
  dollarText,
  type PriceListName,
  type PriceName,
  priceListNames,
  priceLists,
  priceMeanings,
  priceNames,
  pricesWritten,
  storageCosts,
} from './storage-costs.ts';

/** Returns the page about costs as Markdown. All amounts come from the price lists. */
export function costsPage(): string {
  return `${[
    '# Costs',
    '<!-- Written by scripts/docs.ts from packages/api/src/costs-page.ts. Change the definitions there, not this page. -->',
    ...introduction.map(wrap),
    '## What is measured',
    ...measured.map(wrap),
    '## Prices',
    wrap(
      `Approximate list prices in US dollars, without discounts, free allowances and the steps for large amounts. **They were not compared with the pages of the providers.** They were written down in ${pricesWritten}: those without a mark as other publications quote them, those with a * from memory. Prices change, and differ by region: look them up on the pages below before you decide by them, and replace them with \`-prices\`, such as \`-prices storage=0.021,put=0.0045\`.`,
    ),
    priceTable(),
    priceListNames.map(pagesOf).join('\n'),
    '## A worked example',
    ...example(),
    '## Before there is a cluster',
    ...planned(),
    '## Compared with Kafka',
    ...comparison.map(wrap),
    '## What is not counted',
    ...uncounted().map(wrap),
    '## What to do',
    ...advice.map(wrap),
  ].join('\n\n')}\n`;
}

const introduction = [
  'Object stores bill bytes that are stored, by the month, and requests, by the thousand. A cluster shows both, so that its bill is no surprise: `weir cli storage-costs` prints them with their prices, the operation [`describe_storage_costs`](../reference/api.md#describe_storage_costs) of the API returns them, and metrics show them over time.',
];

const measured = [
  '**Requests.** Agents count every request that they send to a bucket as it is billed: PUT (parts of uploads, their begin and their end included), GET (HEAD too), LIST, and DELETE. Repeated, hedged and failed requests count, because stores bill many of them, and so do those of merges, which run in threads of their own. Each agent has the counter `service_blob_store_requests_total` by bucket and kind. It also reports them to the leader, with the heartbeat that carries a report every 20 seconds: four more numbers per bucket. The leader keeps sums of the last day in memory, so that a new leader begins to measure anew and says for how long it has.',
  '**Bytes per level.** Files of level 0 are those that agents write for producers; each level above holds what was merged from the one below. The machine counts files and bytes of each level: `service_files_count` and `service_files_bytes`. Dead files (`service_dead_files_count`, `service_dead_files_bytes`) wait for their deletion and are billed until then.',
  '**Write amplification** is what compactions wrote, divided by what producers brought: `service_write_amplification_ratio`, of the last day. By design each level adds about 1. It costs requests and processor time; bytes between machines and a bucket of the same region are left out here, as providers usually do not bill them.',
  '**Costs per month** are what is stored now, and the measured requests for 730 hours. **Costs per GiB** are those of a month divided by the GiB that producers bring in a month at the measured rate, as they compressed it.',
];

function priceTable(): string {
  const head = ['', ...priceListNames.map((name) => priceLists[name].title)];
  const rows = priceNames.map((name) => [
    `\`${name}\`: ${priceMeanings[name]}`,
    ...priceListNames.map((list) => priceText(list, name)),
  ]);
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function priceText(list: PriceListName, name: PriceName): string {
  const { prices, secondary } = priceLists[list];
  const isQuoted = (secondary as readonly PriceName[]).includes(name);
  return `${dollarText(prices[name])}${isQuoted ? '' : ' *'}`;
}

function pagesOf(name: PriceListName): string {
  const links = Object.entries(priceLists[name].pages).map(([title, url]) => `[${title}](${url})`);
  return `- \`-price-list ${name}\`: ${links.join(', ')}`;
}

function example(): string[] {
  const { bytesPerSecond, retentionMs, groups, zones, fileMs } = exampleDemand;
  const { agents, outlook, use } = capacityFor(exampleDemand, priceLists.s3.prices);
  const files = outlook.filesPerSecond;
  const parts = (bytesPerSecond * writeAmplification) / uploadPartBytes;
  const mergeReads = (bytesPerSecond * writeAmplification) / readBytes;
  const consumerReads = (bytesPerSecond * Math.min(groups, zones)) / readBytes;
  const rows = priceListNames.map((name) => {
    const { requestsMonth, storageMonth, month, perGib, kafka } = storageCosts(use, priceLists[name].prices);
    const amounts = [requestsMonth, storageMonth, month, perGib!, kafka.month];
    return `| ${[priceLists[name].title, ...amounts.map(dollarText)].join(' | ')} |`;
  });
  const fileKib = Math.round(bytesPerSecond / files / KiB);
  return [
    wrap(
      `This is arithmetic with the approximate prices above, not a measurement and not a bill. Producers bring ${bytesPerSecond / MiB} MiB/s to ${agents} agents, which close a file every ${fileMs} ms: ${files} PUTs a second, of ${fileKib} KiB. Merges write everything twice in parts of ${uploadPartBytes / MiB} MiB, ${parts} PUTs a second, and read it in windows of ${readBytes / MiB} MiB, ${mergeReads} GETs a second. One consumer group in each of ${zones} zones reads everything once from the bucket, ${consumerReads} GETs a second; further groups of a zone share what its agents have in memory. Records stay for ${retentionMs / 86_400_000} days: ${Math.round(use.liveBytes / GiB).toLocaleString('en-US')} GiB.`,
    ),
    [
      '| | requests per month | storage per month | both | per GiB | Kafka, network and disks |',
      '|---|---|---|---|---|---|',
      ...rows,
    ].join('\n'),
  ];
}

/** How the command plans, with its answer for the example. */
function planned(): string[] {
  return [
    wrap(
      `\`weir cli plan-capacity\` says which cluster a load needs and what its bucket costs, before there is one: agents, the thread of the leader, the database, memory, requests and storage. It calls nothing. Costs of a unit of work are those that were measured for [scaling](scaling.md), the higher ones of two runs; fetches take ${agentPerFetchedGb} CPU seconds for a GB ([benchmarks](../reference/benchmarks.md)). Agents are as many as keep each below ${agentShareMax * 100} % of a core, one per zone and two at least; the thread of the leader is full at ${leaderShareMax * 100} %. The example above is:`,
    ),
    [
      '```sh',
      'weir cli plan-capacity -write-rate 10MiB -retention 7d -written-partitions 300 -consumer-groups 3',
      '```',
    ].join('\n'),
    wrap(
      'Where the plan can be wrong: the two cores that it was measured on are not yours; merges take CPU on agents with the role `jobs`, which the plan leaves out; producers that wait for each answer make up to 14 files a second on each agent; and [scaling](scaling.md#does-the-model-predict) shows how far predictions were from measurements, 13 to 50 %. Try the load with `weir cli benchmark-producer` before you rely on it.',
    ),
  ];
}

const { replicas, zones, diskFill } = comparedKafka;

const comparison = [
  `The last column, and the last line of \`weir cli storage-costs\`, is what network and disks of an Apache Kafka cluster would cost for the same records. It assumes ${replicas} replicas in ${zones} zones, so that each record crosses zones ${replicas - 1} times between brokers; producers that know no zones, ${zones - 1} of ${zones} of whose records cross to a leader elsewhere; consumers that fetch from a replica in their own zone, which costs nothing; and disks that are filled to ${diskFill * 100} %. It leaves out machines on both sides, requests of tiered storage, and whatever a provider bills for provisioned disk throughput.`,
  'For Weir it assumes that clients reach agents of their own zone, which is what agents offer them where both know their zones. Where they do not, add the price of a crossing for each GiB. At low rates requests are most of the bill, and Kafka on small disks can be the cheaper of the two: this is one of the things that the command is there to show.',
];

function uncounted(): string[] {
  const everyFiveSeconds = (730 * 3600) / 5;
  const { put, get } = priceLists.s3.prices;
  const backup = (everyFiveSeconds * (put + get)) / 1000;
  return [
    `Requests of the control plane for its backup of metadata: at most a HEAD, a PUT and a DELETE every five seconds (\`-metadataBackupInterval\`), ${dollarText(backup)} a month at the prices of S3. Parts of uploads that a process left, which no list of objects shows; the scan for dead files removes them after a day. A deletion of many objects by a store that only deletes single ones counts as one request. Versions that a bucket keeps of deleted objects are billed, and no agent sees them. Bytes that leave the region.`,
  ];
}

const advice = [
  'Many PUTs: files are small. Raise `-batchTimeout`, run fewer and larger agents, and let clients write to the agents of their zone; the diagnostic `small_files` points this out. Many GETs: consumers read old records in small pieces, or compaction is behind (`compaction_behind`). Many dead bytes: `dead_files_growing` says why they stay. Storage is most of the bill: shorten `retention.ms`, or compress at the producers.',
];

/** Wraps a paragraph as all prose of the project. */
function wrap(paragraph: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of paragraph.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > 120) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join('\n');
}
