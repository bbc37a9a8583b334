import {
  eventFiltersPage,
  eventTypeNames,
  eventTypes,
  fieldsOf,
  isEventTypeName,
  isPresetOffered,
  presets,
} from '@weir/events';
import type { DocsPage } from '../docs/documentation.ts';

/** A resource that a client can read without a tool call: background for models, as Markdown. */
export interface FixedResource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly read: () => string;
}

/** A resource template: one of many resources, selected by a variable. */
export interface ResourceFamily {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The variable of the template. */
  readonly variable: string;
  readonly values: () => readonly string[];
  /** Returns the text, or `undefined` if there is none of that name. */
  readonly read: (value: string) => string | undefined;
}

export const mimeType = 'text/markdown';

export const fixedResources: readonly FixedResource[] = [
  {
    uri: 'events://filter-language',
    name: 'filter-language',
    title: 'The filter language',
    description: 'How filters of search_events and aggregate_events are written, on one page.',
    read: eventFiltersPage,
  },
  {
    uri: 'events://presets',
    name: 'presets',
    title: 'Searches that are ready to run',
    description: 'Filters, types and fields to group by for questions that are often asked.',
    read: presetsPage,
  },
];

export const eventTypeFamily: ResourceFamily = {
  uriTemplate: 'events://types/{type}',
  name: 'event-type',
  title: 'An event type',
  description: 'The fields that events of a type have, and what they mean.',
  variable: 'type',
  values: () => eventTypeNames,
  read: (type) => (isEventTypeName(type) ? typePage(type) : undefined),
};

/** The pages of the documentation. */
export function docsFamily(pages: readonly DocsPage[]): ResourceFamily {
  const byPath = new Map(pages.map((page) => [page.path, page.text]));
  return {
    uriTemplate: 'docs://{+path}',
    name: 'docs-page',
    title: 'A page of the documentation',
    description: 'The documentation of the service, page by page.',
    variable: 'path',
    values: () => [...byPath.keys()],
    read: (path) => byPath.get(path),
  };
}

function presetsPage(): string {
  const rows = presets
    .filter(isPresetOffered)
    .map(
      ({ title, eventTypes: types, filter, groupBy }) =>
        `| ${title} | ${types.join(', ') || 'all'} | ${filter === '' ? '' : `\`${filter}\``} | \`${groupBy}\` |`,
    );
  return [
    '# Searches that are ready to run',
    '',
    '| title | event_types | filter | group_by |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function typePage(type: (typeof eventTypeNames)[number]): string {
  const { title, description } = eventTypes[type];
  const rows = fieldsOf([type]).map(
    (field) => `| \`${field.name}\` | ${field.type} | ${field.description} |`,
  );
  return [
    `# ${title}: \`${type}\``,
    '',
    description,
    '',
    '| field | type | meaning |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
