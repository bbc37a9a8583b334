import { BloblangError, type Mapping, parseMapping, pureEnvironment } from '@weir/bloblang';
import { parseDurationMs } from '@weir/core';
import { Schema } from '@weir/iceberg';
import { icebergLimits } from '@weir/iceberg/limits';
import {
  type ConfigurationProblem,
  entryOf,
  readYaml,
  type YamlMapping,
  type YamlValue,
} from '@weir/pipelines/yaml';
import { checkedValue, problemsOf } from '@weir/pipelines/yaml-schema';
import { bucketPlace, StoreError } from '@weir/storage';
import { tableLimits } from '../limits.ts';
import { type SchemaColumns, tableColumns, UnusableSchema } from '../schemas/columns.ts';
import { listedColumns, UnusableField } from '../schemas/listed-columns.ts';
import type {
  Credential,
  PartitionBy,
  SourceCluster,
  SourceFormat,
  StructType,
  TableConfiguration,
  TableDefinition,
} from '../table-definition.ts';
import { type CatalogFields, catalogProblems, catalogSettings, isPlainUrl } from './catalog-fields.ts';
import { catalogNameProblems, nameProblems, tableNameOf } from './configuration-names.ts';
import {
  type SourceFields,
  type TableFields,
  type TablesConfiguration,
  tablesConfiguration,
} from './configuration-schema.ts';
import { parsePartitionBy, problemOfPartitioning, UnusablePartitioning } from './partition-columns.ts';
import {
  latestSchema,
  openInlineRows,
  openRegistryRows,
  type ParsedSource,
  parsedSource,
  SchemaRefused,
} from './source-schema.ts';
import { itemsOf, TableProblems } from './table-fields.ts';

export type DefinitionsReading =
  | { readonly definitions: readonly TableConfiguration[] }
  | { readonly problems: readonly ConfigurationProblem[] };

/** Reads the tables of a configuration, or all that is wrong with it. Nothing is asked of others. */
export function readDefinitions(configuration: string | YamlValue): DefinitionsReading {
  if (typeof configuration !== 'string') return definitionsOf(configuration);
  const reading = readYaml(configuration);
  return 'problems' in reading ? { problems: reading.problems } : definitionsOf(reading.value);
}

function definitionsOf(value: YamlValue): DefinitionsReading {
  const problems = problemsOf(value, tablesConfiguration);
  if (problems.length > 0) return { problems };
  const root = value as YamlMapping;
  const fields: TablesConfiguration = checkedValue(value, tablesConfiguration);
  if (fields.tables.length > tableLimits.configuredTablesMax) {
    const { place } = entryOf(root, 'tables')!;
    return {
      problems: [{ place, message: `tables: has more than ${tableLimits.configuredTablesMax} tables` }],
    };
  }
  const found: ConfigurationProblem[] = [
    ...nameProblems(root),
    ...commonBucketProblems(root, fields),
    ...commonCatalogProblems(root, fields),
  ];
  const sources = new Map(fields.source_clusters.map((source) => [source.name, sourceOf(source)]));
  const texts = new ParsedTexts();
  const definitions: TableConfiguration[] = [];
  for (const [index, item] of itemsOf(root, 'tables').entries()) {
    const table = fields.tables[index]!;
    const source = sources.get(table.source_cluster_name);
    const reading = new TableReading(table, new TableProblems(item, index), texts);
    const definition = reading.definition(source ?? noSource, fields);
    found.push(...reading.problems);
    if (definition !== undefined) definitions.push(definition);
  }
  if (found.length === 0) found.push(...catalogNameProblems(root, definitions));
  return found.length > 0 ? { problems: found } : { definitions };
}

function commonBucketProblems(
  root: YamlMapping,
  { destination_bucket_url: url }: TablesConfiguration,
): ConfigurationProblem[] {
  const rule = bucketRule(url);
  if (rule === undefined) return [];
  const { place } = entryOf(root, 'destination_bucket_url')!.value;
  return [{ place, message: `destination_bucket_url: ${rule}` }];
}

/** Whether a bucket may be used is for its agents to decide; secrets are filled in there. */
function bucketRule(url: string | undefined): string | undefined {
  if (url === undefined || url.includes('${')) return undefined;
  try {
    bucketPlace(url);
    return undefined;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return 'is not the URL of a bucket, such as s3://lake?region=us-east-1';
  }
}

function commonCatalogProblems(root: YamlMapping, { catalog }: TablesConfiguration): ConfigurationProblem[] {
  const entry = entryOf(root, 'catalog');
  if (catalog === undefined || entry === undefined) return [];
  return Array.from(catalogProblems(catalog), ({ field, rule }) => {
    const inner = field === undefined ? undefined : entryOf(entry.value as YamlMapping, field);
    const subject = field === undefined ? 'catalog' : `catalog.${field}`;
    return { place: (inner?.value ?? entry.value).place, message: `${subject}: ${rule}` };
  });
}

function sourceOf({ name, bootstrap_brokers, credentials }: SourceFields): SourceCluster {
  return {
    name,
    brokers: bootstrap_brokers,
    credentials: credentials && {
      mechanism: credentials.sasl_mechanism,
      username: variable(credentials.sasl_username_env),
      password: variable(credentials.sasl_password_env),
      usesTls: credentials.use_tls ?? false,
      isInsecure: credentials.tls_insecure_skip_verify ?? false,
      trustedCertificates: variable(credentials.tls_ca_cert_env),
      clientCertificate: variable(credentials.mtls_client_cert_env),
      clientKey: variable(credentials.mtls_client_key_env),
    },
  };
}

/** Of a table whose source is a problem of its own. */
const noSource: SourceCluster = { name: '', brokers: [], credentials: undefined };

function variable(name: string | undefined): Credential | undefined {
  return name === undefined ? undefined : { variable: name };
}

interface Columns {
  readonly schema: SchemaColumns;
  readonly struct: StructType;
  /** For partitioning. */
  readonly placed: Schema;
}

function columnsOf(schema: SchemaColumns): Columns {
  const struct = tableColumns(schema);
  return { schema, struct, placed: new Schema({ id: 0, columns: struct.columns }) };
}

/** What texts were parsed to. Aliases of YAML make many tables of one text, which must not cost more than one. */
class ParsedTexts {
  readonly #known = new Map<string, unknown>();

  schema(format: SourceFormat, text: string, messageName: string | undefined): ParsedSource {
    return this.#once(['schema', format, messageName, text], () =>
      parsedSource(format, { text, references: [] }, messageName),
    );
  }

  columns(key: unknown, schema: () => SchemaColumns): Columns {
    return this.#once(['columns', key], () => columnsOf(schema()));
  }

  mapping(text: string): Mapping {
    return this.#once(['mapping', text], () => parseMapping(text, { environment: pureEnvironment }));
  }

  #once<Parsed>(key: readonly unknown[], parse: () => Parsed): Parsed {
    const name = JSON.stringify(key);
    if (!this.#known.has(name)) {
      try {
        const parsed = parse();
        this.#known.set(name, () => parsed);
      } catch (error) {
        this.#known.set(name, () => {
          throw error;
        });
      }
    }
    return (this.#known.get(name) as () => Parsed)();
  }
}

const usualRetentionMs = 7 * 86_400_000;
const usualCommitIntervalMs = 60_000;
const timeSchemes = ['hour', 'day', 'month'] as const;

/** One table of a configuration. */
class TableReading {
  readonly #fields: TableFields;
  readonly #found: TableProblems;
  readonly #texts: ParsedTexts;

  constructor(fields: TableFields, found: TableProblems, texts: ParsedTexts) {
    this.#fields = fields;
    this.#found = found;
    this.#texts = texts;
  }

  get problems(): readonly ConfigurationProblem[] {
    return this.#found.found;
  }

  /** Nothing if there are problems. */
  definition(
    source: SourceCluster,
    common: Pick<TablesConfiguration, 'destination_bucket_url' | 'catalog'>,
  ): TableConfiguration | undefined {
    const fields = this.#fields;
    this.#checkCatalog(fields.catalog);
    const ruleOfBucket = bucketRule(fields.destination_bucket_url);
    if (ruleOfBucket !== undefined) this.#found.add(['destination_bucket_url'], ruleOfBucket);
    const isRegistry = this.#isRegistry();
    const mappings = this.#mappings();
    const parsed = isRegistry ? undefined : this.#parsed();
    const listed = this.#listed();
    if (isRegistry) this.#checkRegistry();
    else this.#checkInline();
    const known = this.#columns(parsed, listed);
    const partitionBy = this.#partitionBy(known);
    const name = tableNameOf(source.name, fields.source_topic);
    const base = {
      name,
      source,
      topic: fields.source_topic,
      format: fields.source_format ?? 'json',
      partitionBy,
      deadLetters: this.#deadLetters(),
      retentionMs: this.#duration(['retention'], fields.retention, { minMs: 1000 }),
      commitIntervalMs:
        this.#duration(['commit_interval'], fields.commit_interval, {
          minMs: tableLimits.commitIntervalMsMin,
          maxMs: tableLimits.commitIntervalMsMax,
        }) ?? usualCommitIntervalMs,
      compression: fields.compression ?? 'zstd',
      catalog: catalogSettings(fields.catalog ?? common.catalog),
      destinationBucketUrl: fields.destination_bucket_url ?? common.destination_bucket_url,
    } as const;
    if (this.problems.length > 0) return undefined;
    const resolve = isRegistry
      ? this.#registryResolver(base, known, mappings)
      : this.#inlineResolver(base, known!, parsed, mappings);
    return { ...base, resolve };
  }

  #inlineResolver(
    base: Omit<TableConfiguration, 'resolve'>,
    { struct, schema }: Columns,
    parsed: ParsedSource | undefined,
    mappings: readonly Mapping[],
  ): TableConfiguration['resolve'] {
    const isFramed = this.#fields.wire_format === 'schema_registry';
    const hasOwnColumns = this.#fields.schema !== undefined;
    const definition: TableDefinition = {
      ...base,
      columns: struct,
      openRows: () => openInlineRows(parsed, { columns: schema, mappings, isFramed, hasOwnColumns }),
    };
    return async () => definition;
  }

  #registryResolver(
    base: Omit<TableConfiguration, 'resolve'>,
    listed: Columns | undefined,
    mappings: readonly Mapping[],
  ): TableConfiguration['resolve'] {
    const { format } = base;
    const fields = this.#fields;
    const address = {
      url: fields.schema_registry_url!,
      username: variable(fields.basic_auth_username_env),
      password: variable(fields.basic_auth_password_env),
    };
    const subject = fields.schema_registry_subject ?? `${fields.source_topic}-value`;
    const wanted = { format, subject, messageName: fields.message_name };
    return async ({ openRegistry }) => {
      let columns = listed;
      if (columns === undefined) {
        const latest = await latestSchema(openRegistry(address), wanted);
        try {
          columns = columnsOf(latest.columns);
        } catch (error) {
          if (error instanceof UnusableSchema)
            throw new SchemaRefused(`the schema of ${subject}: ${error.message}`);
          throw error;
        }
        for (const partitioning of base.partitionBy) {
          const problem = problemOfPartitioning(partitioning, columns.placed);
          if (problem !== undefined) throw new SchemaRefused(`partition_by: ${problem}`);
        }
      }
      const { struct, schema } = columns;
      return {
        ...base,
        columns: struct,
        openRows: (deps) =>
          openRegistryRows(deps.openRegistry(address), format, { columns: schema, mappings }),
      };
    };
  }

  #checkCatalog(catalog: CatalogFields | undefined): void {
    if (catalog === undefined) return;
    for (const { field, rule } of catalogProblems(catalog))
      this.#found.add(field === undefined ? ['catalog'] : ['catalog', field], rule);
  }

  /** A table that names a registry uses it. */
  #isRegistry(): boolean {
    const { schema_mode: mode, schema_registry_url: url } = this.#fields;
    return mode === undefined ? url !== undefined : mode === 'registry';
  }

  #mappings(): readonly Mapping[] {
    const mappings: Mapping[] = [];
    for (const [index, { transform }] of (this.#fields.transforms ?? []).entries()) {
      try {
        mappings.push(this.#texts.mapping(transform));
      } catch (error) {
        if (!(error instanceof BloblangError)) throw error;
        const { line, column, message } = error;
        this.#found.add(['transforms', index, 'transform'], message, { line, column });
      }
    }
    return mappings;
  }

  /** The schema of records in the configuration. */
  #parsed(): ParsedSource | undefined {
    const { input_schema: text, source_format: format = 'json', message_name: messageName } = this.#fields;
    if (text === undefined) return undefined;
    return this.#usable(['input_schema'], () => this.#texts.schema(format, text, messageName));
  }

  #listed(): SchemaColumns | undefined {
    const fields = this.#fields.schema?.fields;
    if (fields === undefined) return undefined;
    try {
      return listedColumns(fields);
    } catch (error) {
      if (error instanceof UnusableField)
        this.#found.add(['schema', 'fields', error.index, error.field], error.message);
      else if (error instanceof UnusableSchema) this.#found.add(['schema'], error.message);
      else throw error;
      return undefined;
    }
  }

  #columns(parsed: ParsedSource | undefined, listed: SchemaColumns | undefined): Columns | undefined {
    const { schema, input_schema: text, source_format: format, message_name: messageName } = this.#fields;
    if (schema !== undefined)
      return listed && this.#usable(['schema'], () => this.#texts.columns(schema, () => listed));
    return (
      parsed &&
      this.#usable(['input_schema'], () =>
        this.#texts.columns([format, messageName, text], () => parsed.columns),
      )
    );
  }

  /** What a function returns, or nothing and a problem. */
  #usable<Result>(path: readonly string[], parse: () => Result): Result | undefined {
    try {
      return parse();
    } catch (error) {
      if (!(error instanceof UnusableSchema)) throw error;
      const isMessage = error.message.startsWith('declares no message') && this.#fields.message_name;
      this.#found.add(isMessage ? ['message_name'] : path, error.message, error.place);
      return undefined;
    }
  }

  #checkInline(): void {
    const fields = this.#fields;
    const format = fields.source_format ?? 'json';
    for (const field of registryFields)
      if (fields[field] !== undefined) this.#found.add([field], 'is used with schema_mode registry only');
    if (fields.message_name !== undefined && format !== 'protobuf')
      this.#found.add(['message_name'], 'is used with source_format protobuf only');
    if (fields.input_schema === undefined) {
      if (format !== 'json')
        this.#found.add([], `has no input_schema, and ${format} cannot be read without one`);
      else if (fields.schema === undefined)
        this.#found.add([], 'has no input_schema, which says what its columns are');
    } else if (fields.schema !== undefined && format === 'json')
      this.#found.add(['schema'], 'stands beside input_schema; JSON needs one of them');
  }

  #checkRegistry(): void {
    const fields = this.#fields;
    const url = fields.schema_registry_url;
    if (url === undefined)
      this.#found.add(
        [],
        'has schema_mode registry and no schema_registry_url; give the URL of the registry',
      );
    else if (!url.includes('${') && !isRegistryUrl(url))
      this.#found.add(
        ['schema_registry_url'],
        'is not an http:// or https:// URL without credentials, a query or a fragment',
      );
    if (fields.input_schema !== undefined)
      this.#found.add(
        ['input_schema'],
        'stands beside schema_mode registry, where schemas come from the registry',
      );
    if (fields.wire_format === 'raw')
      this.#found.add(['wire_format'], 'is raw, and with schema_mode registry records name their schema');
    if ((fields.basic_auth_username_env === undefined) !== (fields.basic_auth_password_env === undefined))
      this.#found.add(
        [],
        'has one of basic_auth_username_env and basic_auth_password_env; give both or none',
      );
    if (fields.message_name !== undefined && fields.source_format !== 'protobuf')
      this.#found.add(['message_name'], 'is used with source_format protobuf only');
  }

  #partitionBy(columns: Columns | undefined): readonly PartitionBy[] {
    const { partitioning_scheme: scheme, partition_by: texts } = this.#fields;
    if (scheme !== undefined && texts !== undefined) {
      this.#found.add(['partition_by'], 'stands beside partitioning_scheme; give one of them');
      return [];
    }
    if (texts === undefined) {
      const transform = timeSchemes.find((mode) => mode === scheme);
      return transform === undefined ? [] : [{ column: 'kafka_timestamp', transform }];
    }
    if (texts.length > icebergLimits.tableSpecFieldsMax)
      this.#found.add(['partition_by'], `has more than ${icebergLimits.tableSpecFieldsMax} columns`);
    const known = new Set<string>();
    return texts.slice(0, icebergLimits.tableSpecFieldsMax).flatMap((text, index) => {
      const partitioning = this.#partitioning(text, index, columns);
      const name = JSON.stringify(partitioning);
      if (partitioning !== undefined && known.has(name)) {
        this.#found.add(['partition_by', index], 'is there twice');
        return [];
      }
      known.add(name);
      return partitioning ?? [];
    });
  }

  #partitioning(text: string, index: number, columns: Columns | undefined): PartitionBy | undefined {
    let problem: string | undefined;
    try {
      const partitioning = parsePartitionBy(text);
      problem = columns && problemOfPartitioning(partitioning, columns.placed);
      if (problem === undefined) return partitioning;
    } catch (error) {
      if (!(error instanceof UnusablePartitioning)) throw error;
      problem = error.message;
    }
    this.#found.add(['partition_by', index], problem);
    return undefined;
  }

  #deadLetters(): TableConfiguration['deadLetters'] {
    const { dlq_mode: mode = 'skip', dlq_keep_settings: settings } = this.#fields;
    if (settings !== undefined && mode !== 'keep')
      this.#found.add(['dlq_keep_settings'], `is used with dlq_mode keep, and it is ${mode}`);
    const path = ['dlq_keep_settings', 'retention'];
    const retentionMs = this.#duration(path, settings?.retention, { minMs: 1000 });
    return { mode, retentionMs: mode === 'keep' ? (retentionMs ?? usualRetentionMs) : undefined };
  }

  #duration(
    path: readonly string[],
    text: string | undefined,
    { minMs, maxMs = Number.MAX_SAFE_INTEGER }: { readonly minMs: number; readonly maxMs?: number },
  ): number | undefined {
    if (text === undefined) return undefined;
    const ms = text.length > 100 ? undefined : parseDurationMs(text);
    if (ms === undefined) this.#found.add(path, `is not a duration such as 7d, 2w, 12h, 30m or 10s`);
    else if (ms < minMs || ms > maxMs)
      this.#found.add(
        path,
        maxMs === Number.MAX_SAFE_INTEGER ? 'is less than a second' : 'is not from 1s to 1h',
      );
    else return ms;
    return undefined;
  }
}

const registryFields = [
  'schema_registry_url',
  'schema_registry_subject',
  'basic_auth_username_env',
  'basic_auth_password_env',
] as const;

function isRegistryUrl(text: string): boolean {
  return text.split(',').every((part) => isPlainUrl(part.trim()));
}
