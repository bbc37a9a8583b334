import { formatDurationMs, markdownTable } from '@weir/core';
import { envelopeFields } from './event-fields.ts';
import { type EventField, type EventTypeName, eventTypeNames, eventTypes } from './event-types.ts';
import { eventLimits } from './limits.ts';
import { isPresetOffered, presets } from './presets.ts';
import { offeredRanges } from './time-range.ts';

/** The reference page of events, as Markdown. */
export function eventsPage(): string {
  return `${[introduction, envelope, types, ...eventTypeNames.map(sectionOf), ranges, presetSection].join('\n\n')}\n`;
}

const introduction = `# Events

<!-- Written by scripts/docs.ts from packages/events/src. Change the definitions there, not this page. -->

A virtual cluster records what happens as events, once they are enabled. They can be searched with a [filter](event-filters.md), counted
over time, and read as JSON.`;

const envelope = `## The envelope

Every event is a JSON object with these fields.

${fieldTable(envelopeFields)}

\`\`\`json
{
  "specversion": "1.0",
  "id": "0f6a4f3e-6d7c-4b0e-9c39-1d2f7a90b6c1",
  "source": "ws:agent:vci_1fe67d2c_4ac4_4ce7_9b3e_6a0d6f0c3b1a:7c1d9b34-1f0e-4a7b-8a57-2f3f0a1f9f52",
  "type": "acl_logs",
  "time": "2026-11-15T10:21:07.418Z",
  "datacontenttype": "application/json",
  "data": { "log_level": "warn", "operation": "CREATE", "resource_type": "TOPIC", "resource_name": "orders" }
}
\`\`\``;

const types = `## Types

${markdownTable(
  ['type', 'content', 'clusters', 'emitted by', 'in this release'],
  eventTypeNames.map((name) => {
    const { description, clusterKinds, emittedBy, isEmitted } = eventTypes[name];
    return [
      `[\`${name}\`](#${name})`,
      description,
      listed(clusterKinds),
      listed(emittedBy),
      isEmitted ? 'yes' : 'no',
    ];
  }),
)}

On Kafka clusters the control plane's own events need an agent with the role \`jobs\`, which publishes them. The fields below are those that events of a
type usually have; not every event has all of them, and some have others.`;

function sectionOf(name: EventTypeName): string {
  return `### ${name}\n\n${fieldTable(eventTypes[name].fields)}`;
}

const ranges = `## Time ranges

A search reaches over ${formatDurationMs(eventLimits.eventsWindowMsMax)} at most.

| range | written |
|---|---|
| the last minutes or hours | \`{"relative": "15m"}\`; offered are ${offeredRelative()} |
| today, yesterday | \`{"preset": "today"}\`, \`{"preset": "yesterday"}\` |
| a day, or a part of it | \`{"day": "2026-11-15"}\`, \`{"day": "2026-11-15", "from": "09:30", "to": "12:00"}\` |
| between two moments | \`{"start": "2026-11-15T10:00:00Z", "end": "2026-11-15T12:00:00Z"}\` |

Days are those of the time zone that is asked for, \`UTC\` or a name such as \`Europe/Vienna\`. The end of a range does not belong to it. A day of 25 hours, when
clocks are set back, loses the first of them.`;

function offeredRelative(): string {
  return offeredRanges
    .flatMap(({ range }) => ('relative' in range ? [`\`${range.relative}\``] : []))
    .join(', ');
}

const presetSection = `## Presets

${markdownTable(
  ['preset', 'types', 'filter', 'time', 'grouped by', 'in this release'],
  presets.map(({ title, eventTypes: names, filter, range, groupBy }) => [
    title,
    names.length === 0 ? 'all' : names.map((name) => `\`${name}\``).join(', '),
    filter === '' ? '' : `\`${filter}\``,
    'relative' in range ? `last ${range.relative}` : '',
    `\`${groupBy}\``,
    isPresetOffered({ eventTypes: names }) ? 'yes' : 'no',
  ]),
)}`;

function fieldTable(fields: readonly EventField[]): string {
  const rows = fields.map(({ name, type, description }) => [`\`${name}\``, type, description]);
  return markdownTable(['field', 'type', 'meaning'], rows);
}

function listed(names: readonly string[]): string {
  return names.map((name) => name.replaceAll('_', ' ')).join(', ');
}
