import { BloblangError, type Mapping, parseMapping } from '@weir/bloblang';
import { nearestName } from '@weir/core';
import type { ComponentConfig, ComponentKind } from '../component/component-config.ts';
import type { ComponentSpec } from '../component/component-spec.ts';
import { readFields } from '../component/field.ts';
import type { ConfigurationProblem, Reading, TextPlace } from '../component/reading.ts';
import { pipelineLimits } from '../limits.ts';
import { entryOf, placeWithin, readYaml, shownKey, type YamlEntry, type YamlValue } from '../yaml/index.ts';
import type { Catalogue } from './catalogue.ts';
import { ResourceUses } from './resource-uses.ts';
import { type StreamConfig, streamFields } from './stream-fields.ts';
import { type References, substituted } from './substitution.ts';

export interface ReadOptions {
  readonly catalogue: Catalogue;
  /** Whether a person runs it on a machine of their own, where more components are allowed. */
  readonly isLocal: boolean;
  /** Values of variables and secrets. Without them a configuration can be checked, not run. */
  readonly references?: References | undefined;
}

export interface ConfigurationReading {
  /** Absent if there are problems, or references without values. */
  readonly config: StreamConfig | undefined;
  readonly problems: readonly ConfigurationProblem[];
  /** What works and is not advisable. */
  readonly warnings: readonly ConfigurationProblem[];
  /** Values of fields that are defined as secret. */
  readonly secrets: readonly string[];
}

/** Reads a configuration and compiles its mappings. All problems are found in one reading. */
export function readConfiguration(yaml: string, options: ReadOptions): ConfigurationReading {
  const text = readYaml(yaml);
  if ('problems' in text) return { config: undefined, problems: text.problems, warnings: [], secrets: [] };
  return readStream(text.value, options);
}

/** Reads a configuration whose YAML was parsed. */
export function readStream(value: YamlValue, options: ReadOptions): ConfigurationReading {
  const { value: complete, problems: unset, open } = substituted(value, options.references);
  const reading = new StreamReading(options, open);
  const config = readFields(complete, streamFields, reading, 'root');
  reading.finish();
  if (config !== undefined && config.error_handling?.strategy !== 'none') reading.checkStrategy();
  const { warnings } = reading;
  const problems = [...unset, ...reading.problems];
  return {
    config: problems.length === 0 && open.size === 0 ? config : undefined,
    problems,
    warnings,
    secrets: [...reading.secrets],
  };
}

/** Components that decide what becomes of failed messages. */
const handlesErrors: ReadonlySet<string> = new Set([
  'processor try',
  'processor catch',
  'processor retry',
  'processor switch',
  'output reject_errored',
  'output switch',
]);

const labelPattern = /^[a-z0-9_]+$/;

interface Reference {
  /** The resource that names it; absent outside of resources. */
  readonly from: string | undefined;
  readonly kind: ComponentKind;
  readonly label: string;
  readonly place: TextPlace;
}

class StreamReading implements Reading {
  readonly problems: ConfigurationProblem[] = [];
  readonly warnings: ConfigurationProblem[] = [];
  readonly secrets = new Set<string>();
  readonly #options: ReadOptions;
  /** Lines of labels. */
  readonly #labels = new Map<string, number>();
  readonly #resources = new Set<string>();
  /** Types that are used, and where first. */
  readonly #used = new Map<string, TextPlace>();
  readonly #references: Reference[] = [];
  /** The resource that is being read. */
  #resource: string | undefined;

  readonly #open: ReadonlySet<YamlValue>;

  constructor(options: ReadOptions, open: ReadonlySet<YamlValue>) {
    this.#options = options;
    this.#open = open;
  }

  get isLocal(): boolean {
    return this.#options.isLocal;
  }

  isOpen(value: YamlValue): boolean {
    return this.#open.has(value);
  }

  problem(place: TextPlace, message: string): void {
    this.problems.push({ place, message });
  }

  warning(place: TextPlace, message: string): void {
    this.warnings.push({ place, message });
  }

  hides(value: YamlValue): void {
    if (value.kind === 'scalar' && value.value !== null) this.secrets.add(String(value.value));
    else if (value.kind === 'list') for (const item of value.items) this.hides(item);
    else if (value.kind === 'mapping') for (const entry of value.entries) this.hides(entry.value);
  }

  refersTo(kind: ComponentKind, label: string, place: TextPlace): void {
    this.#references.push({ from: this.#resource, kind, label, place });
  }

  mapping(value: YamlValue, text: string): Mapping | undefined {
    try {
      return parseMapping(text);
    } catch (error) {
      if (!(error instanceof BloblangError)) throw error;
      if (value.kind === 'scalar' && value.value === text)
        this.problem(placeWithin(value, error), `in the mapping: ${error.message}`);
      else this.problem(value.place, `in a query: ${error.message}`);
      return undefined;
    }
  }

  component<Kind extends ComponentKind>(
    kind: Kind,
    value: YamlValue,
    path: string,
  ): ComponentConfig<Kind> | undefined {
    if (value.kind !== 'mapping') {
      this.problem(value.place, `${nameOf(kind)} has to be an object with the name of its type`);
      return undefined;
    }
    const label = this.#label(kind, entryOf(value, 'label'), path);
    if (isResourcePath(path)) this.#resource = `${kind} ${label}`;
    else if (label !== '' && entryOf(value, 'resource') !== undefined)
      this.problem(value.place, `a ${kind} that is a resource has the label of the resource only`);
    const processors = this.#processors(kind, entryOf(value, 'processors'), path);
    const named = this.#typeOf(kind, value.entries, value.place);
    if (named === undefined) return undefined;
    const { spec, config } = named;
    const type = `${kind} ${spec.name}`;
    if (!this.#used.has(type)) this.#used.set(type, config.place);
    const values = spec.field.read(config, this, `${path}.${spec.name}`);
    if (values !== undefined && this.#open.size === 0) spec.check?.(values, this, config.place);
    const { name } = spec;
    return { kind, name, label, path, place: value.place, values, processors };
  }

  /** Bento turns a strategy off beside components that handle errors themselves; here it is refused to have both. */
  checkStrategy(): void {
    for (const [used, place] of this.#used) {
      if (!handlesErrors.has(used)) continue;
      this.problem(
        place,
        `error_handling.strategy cannot be combined with the ${used}, which handles errors itself`,
      );
    }
  }

  finish(): void {
    const uses = new ResourceUses(
      this.#references.map(({ from, kind, label }) => [from, `${kind} ${label}`]),
    );
    for (const { from, kind, label, place } of this.#references) {
      const target = `${kind} ${label}`;
      if (!this.#resources.has(target))
        this.problem(place, `there is no ${kind} resource ${shownKey(label)}; add it to ${kind}_resources`);
      else if (from !== undefined && uses.isWithinItself(from, target))
        this.problem(place, `the ${kind} resource ${shownKey(label)} would be within itself`);
    }
    const { resourceUsesMax: usesMax } = pipelineLimits;
    const [first] = this.#references;
    if (first !== undefined && uses.count > usesMax)
      this.problem(
        first.place,
        `resources use each other so often that this would be more than ${usesMax} components; use fewer within each other`,
      );
  }

  /** The entry that names the type, by its key, or by `type` as in older configurations. */
  #typeOf<Kind extends ComponentKind>(
    kind: Kind,
    entries: readonly YamlEntry[],
    place: TextPlace,
  ): { readonly spec: ComponentSpec<Kind>; readonly config: YamlValue } | undefined {
    const common = kind === 'input' || kind === 'output' ? ['label', 'processors'] : ['label'];
    const named = entries.filter(({ key }) => !common.includes(key));
    const [first, second] = named;
    if (first === undefined) {
      this.problem(place, `${nameOf(kind)} has no type; add one, such as ${this.#exampleOf(kind)}`);
      return undefined;
    }
    const spec = this.#options.catalogue.get(kind, first.key);
    if (spec === undefined) {
      this.problem(first.place, this.#unknownType(kind, first.key));
      return undefined;
    }
    if (second !== undefined)
      this.problem(
        second.place,
        `${nameOf(kind)} has one type, and there are ${shownKey(first.key)} and ${shownKey(second.key)}`,
      );
    if (spec.availability === 'local' && !this.#options.isLocal)
      this.problem(
        first.place,
        `${kind} ${first.key} is not available in managed pipelines; run it with weir cli run-pipeline`,
      );
    return { spec, config: first.value };
  }

  #exampleOf(kind: ComponentKind): string {
    const names = this.#options.catalogue.names(kind);
    return ['kafka_franz_service', 'mapping'].find((name) => names.includes(name)) ?? names[0] ?? 'none';
  }

  #unknownType(kind: ComponentKind, name: string): string {
    const { catalogue } = this.#options;
    if (catalogue.isKnownElsewhere(kind, name))
      return `${kind} ${name} is known and not available in this release`;
    const meant = nearestName(name, catalogue.names(kind));
    const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
    return `there is no ${kind} ${shownKey(name)}${hint}`;
  }

  #label(kind: ComponentKind, entry: YamlEntry | undefined, path: string): string {
    const label =
      entry?.value.kind === 'scalar' && entry.value.value !== null ? String(entry.value.value) : '';
    const isResource = isResourcePath(path);
    if (entry === undefined || label === '') {
      if (isResource)
        this.problem(entry?.place ?? { line: 1, column: 1 }, `a ${kind} resource has to have a label`);
      return '';
    }
    const { place } = entry.value;
    if (!labelPattern.test(label) || label.startsWith('_')) {
      this.problem(place, 'a label has lower-case letters, digits and _, and begins with no _');
      return '';
    }
    const line = this.#labels.get(label);
    if (line !== undefined) this.problem(place, `the label ${label} is used in line ${line} already`);
    else this.#labels.set(label, place.line);
    if (isResource) this.#resources.add(`${kind} ${label}`);
    return label;
  }

  #processors(
    kind: ComponentKind,
    entry: YamlEntry | undefined,
    path: string,
  ): ComponentConfig<'processor'>[] {
    if (entry === undefined || (kind !== 'input' && kind !== 'output')) return [];
    if (entry.value.kind !== 'list') {
      this.problem(entry.value.place, 'processors has to be a list');
      return [];
    }
    return entry.value.items
      .map((item, at) => this.component('processor', item, `${path}.processors.${at}`))
      .filter((config) => config !== undefined);
  }
}

function isResourcePath(path: string): boolean {
  return /^root\.[a-z_]+_resources\.\d+$/.test(path);
}

function nameOf(kind: ComponentKind): string {
  return `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`;
}
