import { type AwsSession, awsSessionFields } from '../aws/aws-session.ts';
import { awsSigner } from '../aws/aws-signer.ts';
import type { ComponentContext } from '../component/component-context.ts';
import { componentOf } from '../component/component-spec.ts';
import { object } from '../component/field.ts';
import { bool, durationMs, int, interpolated, list, string } from '../component/field-types.ts';
import type { Interpolated } from '../component/interpolated.ts';
import { retries } from '../component/retries.ts';
import { type TlsValues, tls, tlsOptionsOf } from '../component/tls-fields.ts';
import { batching } from '../engine/batch-policy.ts';
import { maxInFlight, pacedOutput } from '../engine/open-output.ts';
import { BulkOutput } from '../search/bulk-output.ts';

/** The engine delivers messages again, with growing pauses. */
const writtenAgain = 'what is not stored is written again, without end';

const usualId = `\${!count("elastic_ids")}-\${!timestamp_unix()}`;

const urls = list(
  'The servers; another is used after a failure.',
  string('A URL, such as `http://localhost:9200`.'),
).check((given) =>
  expanded(given).length > 0 && expanded(given).every((url) => /^https?:\/\//.test(url) && URL.canParse(url))
    ? undefined
    : 'has to have URLs such as http://localhost:9200',
);
const index = interpolated('The index.');
const action = interpolated('What is done: `create`, `index`, `update`, `upsert` or `delete`.');
const routing = interpolated('What decides about the shard.').or('').advanced();
const basicAuth = object('A user and a password.', {
  enabled: bool('Whether they are sent.').or(false),
  username: string('The user.').or(''),
  password: string('The password.').or('').secret(),
}).advanced();
const aws = object('Signed requests, for servers of AWS.', {
  enabled: bool('Whether requests are signed.').or(false),
  ...awsSessionFields,
  endpoint: awsSessionFields.endpoint.withoutEffect('servers are those of urls'),
})
  .check(({ enabled, credentials }, { isLocal }) =>
    enabled && !isLocal && (credentials?.id === '' || credentials?.secret === '')
      ? 'is enabled, for which managed pipelines need credentials.id and credentials.secret'
      : undefined,
  )
  .advanced();
const timeout = durationMs('How long a request may take.').or('5s').advanced();

interface SearchFields {
  readonly urls: readonly string[];
  readonly index: Interpolated;
  readonly action: Interpolated;
  readonly id: Interpolated;
  readonly routing: Interpolated;
  readonly basic_auth: { readonly enabled: boolean; readonly username: string; readonly password: string };
  readonly tls: TlsValues;
  readonly max_in_flight: number;
  readonly aws?: (AwsSession & { readonly enabled: boolean }) | undefined;
}

interface Variant {
  readonly pipeline: (text: (field: Interpolated) => string) => string;
  readonly timeoutMs?: number | undefined;
  readonly compresses?: boolean;
  readonly apiKey?: string | undefined;
  readonly wrapsUpdates: boolean;
}

async function opened(
  fields: SearchFields & { readonly batching: Parameters<typeof pacedOutput>[1]['batching'] & {} },
  { pipeline, timeoutMs = 5_000, compresses = false, apiKey, wrapsUpdates }: Variant,
  context: ComponentContext,
) {
  const { enabled, username, password } = fields.basic_auth;
  const basic = enabled ? `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` : undefined;
  const output = new BulkOutput(
    {
      urls: expanded(fields.urls),
      authorization: apiKey ? `ApiKey ${apiKey}` : basic,
      tls: await tlsOptionsOf(fields.tls),
      signer: fields.aws?.enabled ? await awsSigner(fields.aws, searchService, context) : undefined,
      timeoutMs,
      compresses,
      wrapsUpdates,
      actionFor(batch, at) {
        const text = (field: Interpolated) => field.text(batch, at, context.mappingPorts);
        return {
          action: text(fields.action),
          index: text(fields.index),
          id: text(fields.id),
          routing: text(fields.routing),
          pipeline: pipeline(text),
        };
      },
    },
    context,
  );
  return pacedOutput(output, fields, context);
}

/** `https://search-shop-abc.eu-west-1.es.amazonaws.com`, and `.aoss.` for collections without servers. */
function searchService({ hostname }: URL) {
  const [, region, service] = /\.([a-z0-9-]+)\.(es|aoss)\.amazonaws\.com(?:\.cn)?$/.exec(hostname) ?? [];
  return { service: service === 'aoss' ? 'aoss' : 'es', region } as const;
}

function expanded(given: readonly string[]): string[] {
  return given
    .flatMap((text) => text.split(','))
    .map((url) => url.trim())
    .filter((url) => url !== '');
}

const elasticsearchV2 = componentOf('output', {
  name: 'elasticsearch_v2',
  about: 'Writes messages as documents to an index of Elasticsearch.',
  fields: {
    urls,
    index,
    action: action.or('index').advanced(),
    pipeline: string('A pipeline of the server that documents go through.').or('').advanced(),
    id: interpolated('The id of the document.').or(usualId),
    routing,
    discover_nodes_on_start: bool('Servers are those of `urls`.')
      .or(false)
      .check((isOn) => (isOn ? 'is not available in this release; name the servers in urls' : undefined)),
    discover_nodes_interval: durationMs('Servers are those of `urls`.')
      .or('0s')
      .check((ms) => (ms > 0 ? 'is not available in this release; name the servers in urls' : undefined)),
    timeout,
    tls: tls('TLS of the connection.'),
    max_in_flight: maxInFlight.or(64),
    api_key: string('A token in base64; it comes before `basic_auth`.').optional().secret(),
    basic_auth: basicAuth,
    batching,
    compress_request_body: bool('Whether requests are compressed.').or(false).advanced(),
    retry_on_status: list('Codes after which a request is repeated.', int('A status.'))
      .or([502, 503, 504])
      .withoutEffect(writtenAgain),
    max_retries: int('How often a request is repeated.').or(0).advanced().withoutEffect(writtenAgain),
    backoff: retries({ initial: '1s', max: '5s', elapsed: '30s' }).withoutEffect(writtenAgain),
  },
  open: (fields, context) =>
    opened(
      fields,
      {
        pipeline: () => fields.pipeline,
        timeoutMs: fields.timeout,
        compresses: fields.compress_request_body,
        apiKey: fields.api_key,
        wrapsUpdates: true,
      },
      context,
    ),
});

const elasticsearch = componentOf('output', {
  name: 'elasticsearch',
  about: 'Writes messages as documents to an index of Elasticsearch; `elasticsearch_v2` is newer.',
  fields: {
    urls,
    index,
    action: action.or('index').advanced(),
    pipeline: interpolated('A pipeline of the server that documents go through.').or('').advanced(),
    id: interpolated('The id of the document.').or(usualId),
    type: string('The type of documents, which servers since version 7 do not have.')
      .or('')
      .check((type) =>
        type === '' ? undefined : 'is not available in this release: servers since version 7 have no types',
      ),
    routing,
    sniff: bool('Whether more servers are asked for.')
      .or(true)
      .advanced()
      .withoutEffect('servers are those of urls'),
    healthcheck: bool('Whether servers are checked.')
      .or(true)
      .advanced()
      .withoutEffect('a server that fails is not used for the next request'),
    timeout,
    tls: tls('TLS of the connection.'),
    max_in_flight: maxInFlight.or(64),
    max_retries: int('How often a request is repeated.').or(0).advanced().withoutEffect(writtenAgain),
    backoff: retries({ initial: '1s', max: '5s', elapsed: '30s' }).withoutEffect(writtenAgain),
    basic_auth: basicAuth,
    batching,
    aws,
    gzip_compression: bool('Whether requests are compressed.').or(false).advanced(),
  },
  open: (fields, context) =>
    opened(
      fields,
      {
        pipeline: (text) => text(fields.pipeline),
        timeoutMs: fields.timeout,
        compresses: fields.gzip_compression,
        wrapsUpdates: true,
      },
      context,
    ),
});

const opensearch = componentOf('output', {
  name: 'opensearch',
  about:
    'Writes messages as documents to an index of OpenSearch. A message of an update has `doc`, `upsert` or `script`.',
  fields: {
    urls,
    index,
    action,
    id: interpolated('The id of the document.'),
    pipeline: interpolated('A pipeline of the server that documents go through.').or('').advanced(),
    routing,
    tls: tls('TLS of the connection.'),
    max_in_flight: maxInFlight.or(64),
    basic_auth: basicAuth,
    batching,
    aws,
  },
  open: (fields, context) =>
    opened(fields, { pipeline: (text) => text(fields.pipeline), wrapsUpdates: false }, context),
});

export const searchOutputs = [elasticsearch, elasticsearchV2, opensearch];
