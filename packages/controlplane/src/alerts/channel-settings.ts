import { type AlertChannelKind, ApiError, type InputOf } from '@weir/api';
import type { AllowedHosts } from '@weir/cluster/outbound';
import { targetOfUrl } from '@weir/http/client';
import type {
  AlertChannel,
  ChannelSecrets,
  ChannelSettings,
  SmtpSecurity,
  SmtpSettings,
} from '../accounts/alerts/alert-types.ts';
import { pagerDutyUrl } from './channels/pagerduty.ts';

type Given = Omit<InputOf<'update_alert_channel'>, 'virtual_cluster_id' | 'channel_id' | 'channel_name'>;
type Field = keyof Given;

interface Configured {
  readonly settings: ChannelSettings;
  readonly secrets: ChannelSecrets;
}

const fieldsOf: Readonly<Record<AlertChannelKind, readonly Field[]>> = {
  slack: ['webhook_url'],
  webhook: ['webhook_url', 'authorization_secret'],
  pagerduty: ['routing_key', 'endpoint_url'],
  email: [
    'smtp_host',
    'smtp_port',
    'smtp_security',
    'smtp_username',
    'smtp_password',
    'from_address',
    'to_addresses',
  ],
};

/**
 * What a channel has after a change, or throws `invalid_request`. A secret does not go with an address that is new: who
 * may change a channel and not read its secrets could have them sent to itself.
 */
export function configureChannel(
  kind: AlertChannelKind,
  given: Given,
  before: (Configured & Pick<AlertChannel, 'kind'>) | undefined,
  hosts: AllowedHosts,
): Configured {
  for (const [field, value] of Object.entries(given))
    if (value !== undefined && !fieldsOf[kind].includes(field as Field))
      throw invalid(`${field}: does not belong to a channel of kind ${kind}`);
  switch (kind) {
    case 'slack':
    case 'webhook':
      return webhook(given, before, hosts);
    case 'pagerduty':
      return pagerDuty(given, before, hosts);
    case 'email':
      return email(given, before, hosts);
  }
}

function webhook(given: Given, before: Configured | undefined, hosts: AllowedHosts): Configured {
  const webhookUrl = given.webhook_url ?? before?.secrets.webhookUrl;
  if (webhookUrl === undefined) throw invalid('webhook_url: is required');
  const url = checkedUrl('webhook_url', webhookUrl, hosts);
  if (given.authorization_secret !== undefined && !/^[\x20-\x7e]+$/.test(given.authorization_secret))
    throw invalid('authorization_secret: has characters that are not ASCII');
  const isSame = webhookUrl === before?.secrets.webhookUrl;
  const authorization = given.authorization_secret ?? (isSame ? before?.secrets.authorization : undefined);
  return {
    // Path and query are the secret of such a URL.
    settings: { target: `${url.origin}/…`, hasAuthorization: authorization !== undefined },
    secrets: { webhookUrl, ...(authorization === undefined ? {} : { authorization }) },
  };
}

function pagerDuty(given: Given, before: Configured | undefined, hosts: AllowedHosts): Configured {
  const endpointUrl = given.endpoint_url ?? before?.settings.endpointUrl ?? pagerDutyUrl;
  const url = checkedUrl('endpoint_url', endpointUrl, hosts);
  const isSame = endpointUrl === before?.settings.endpointUrl;
  const routingKey = given.routing_key ?? (isSame ? before?.secrets.routingKey : undefined);
  if (routingKey === undefined) throw invalid('routing_key: is required, also with another endpoint_url');
  return { settings: { target: `PagerDuty at ${url.host}`, endpointUrl }, secrets: { routingKey } };
}

const usualPorts: Readonly<Record<SmtpSecurity, number>> = { tls: 465, starttls: 587, none: 25 };
/** Without what has a meaning in headers and commands. */
const mailAddress = /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9.-]+$/;

function email(given: Given, before: Configured | undefined, hosts: AllowedHosts): Configured {
  const old = before?.settings.smtp;
  const host = given.smtp_host ?? old?.host;
  const from = given.from_address ?? old?.from;
  const to = given.to_addresses ?? old?.to;
  if (host === undefined) throw invalid('smtp_host: is required');
  if (from === undefined) throw invalid('from_address: is required');
  if (to === undefined) throw invalid('to_addresses: is required');
  for (const address of [from, ...to])
    if (!mailAddress.test(address)) throw invalid(`${address}: is not a plain e-mail address`);
  const security = given.smtp_security ?? old?.security ?? 'starttls';
  const port =
    given.smtp_port ?? (given.smtp_security === undefined ? old?.port : undefined) ?? usualPorts[security];
  const problem = hosts.problemOf(host, port);
  if (problem !== undefined) throw invalid(`smtp_host: ${problem}`);
  const username = (given.smtp_username ?? old?.username) || undefined;
  const isSame =
    host === old?.host && port === old.port && security === old.security && username === old.username;
  const smtpPassword = given.smtp_password ?? (isSame ? before?.secrets.smtpPassword : undefined);
  if (security === 'none' && username !== undefined)
    throw invalid('smtp_security: a password is sent with tls or starttls only');
  if (username !== undefined && smtpPassword === undefined)
    throw invalid('smtp_password: is required with smtp_username, also after a change of server or user');
  if (username === undefined && given.smtp_password !== undefined)
    throw invalid('smtp_username: is required with smtp_password');
  const smtp: SmtpSettings = {
    host,
    port,
    security,
    from,
    to,
    ...(username === undefined ? {} : { username }),
  };
  return {
    settings: { target: `${to.join(', ')} by ${host}:${port}`, smtp },
    secrets: username === undefined || smtpPassword === undefined ? {} : { smtpPassword },
  };
}

/** A user and a password in a URL would be sent as a header beside the other one. */
function checkedUrl(field: string, text: string, hosts: AllowedHosts): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw invalid(`${field}: is not a URL that begins with https:// or http://`);
  if (url.username !== '' || url.password !== '')
    throw invalid(`${field}: has a user or a password; use authorization_secret`);
  const { host, port } = targetOfUrl(url);
  const problem = hosts.problemOf(host, port);
  if (problem !== undefined) throw invalid(`${field}: ${problem}`);
  return url;
}

function invalid(message: string): ApiError {
  return new ApiError('invalid_request', message);
}
