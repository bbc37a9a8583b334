import { object, type Values } from '../component/field.ts';
import {
  bool,
  durationMs,
  int,
  interpolated,
  list,
  map,
  oneOf,
  resource,
  string,
} from '../component/field-types.ts';
import { metadataFilter } from '../component/metadata-filter.ts';
import { tls } from '../component/tls-fields.ts';
import { authFields } from './auth-fields.ts';

export const transportField = object('Connections.', {
  dial_context: object('How connections are opened.', {
    timeout: durationMs('How long it may take.').or('30s'),
    keep_alive: durationMs('The time between probes of a connection that is not used.').or('30s'),
  }),
  force_http2: bool('Whether requests are HTTP/2.').optional().withoutEffect('requests are HTTP/1.1'),
  max_idle_connections: int('Connections that stay open unused.').or(100),
  idle_connection_timeout: durationMs('How long a connection stays open unused.').or('90s'),
  tls_handshake_timeout: durationMs('How long a TLS handshake may take.')
    .or('10s')
    .withoutEffect('the time of dial_context holds for the handshake too'),
  expect_continue_timeout: durationMs('How long to wait until a server agrees to take a body.')
    .or('1s')
    .withoutEffect('requests do not wait for that'),
}).advanced();

const statuses = (about: string) => list(about, int('A status code.'));

/** The fields of every component that sends HTTP requests. */
export function httpFields(verb: string) {
  return {
    url: interpolated('The URL of the request.'),
    verb: string('The method of the request.').or(verb),
    headers: map('Headers of the request.', interpolated('A value.')).or({}),
    metadata: metadataFilter('Which metadata of the message is sent as headers.').advanced(),
    dump_request_log_level: oneOf('The level at which requests and answers are logged; none if empty.', [
      '',
      'TRACE',
      'DEBUG',
      'INFO',
      'WARN',
      'ERROR',
      'FATAL',
    ])
      .or('')
      .advanced(),
    ...authFields,
    tls: tls('TLS of the connection.'),
    extract_headers: metadataFilter(
      'Which headers of the answer become metadata, by their names in lower case.',
    ).advanced(),
    rate_limit: resource('rate_limit', 'The rate limit that requests wait for.').optional(),
    timeout: durationMs('How long a request and its answer may take.').or('5s'),
    retry_period: durationMs('The pause before a request is repeated.').or('1s').advanced(),
    max_retry_backoff: durationMs('The longest pause before a request is repeated.').or('300s').advanced(),
    retries: int('How often a request is repeated.').or(3).advanced(),
    backoff_on: statuses('Codes after which a request is repeated with growing pauses.').or([429]).advanced(),
    drop_on: statuses('Codes after which a request has failed and is not repeated.').or([]).advanced(),
    successful_on: statuses('Codes that are a success, beside those from 200 to 299.').or([]).advanced(),
    proxy_url: string('An HTTP proxy.').optional().localOnly().advanced(),
    transport: transportField,
  };
}

export type HttpValues = Values<ReturnType<typeof httpFields>>;
