import type { AllowedHosts } from '@weir/cluster/outbound';
import type { Clock } from '@weir/core';
import { NoAnswerInTime, withinTime } from '@weir/http/client';
import type { AlertChannel, AlertMessage, ChannelSecrets } from '../../accounts/alerts/alert-types.ts';
import { controlPlaneLimits } from '../../limits.ts';
import { postJson } from './http-post.ts';
import { mailText } from './mail-text.ts';
import { DeliveryFailed } from './outcome.ts';
import { pagerDutyBody, pagerDutyUrl } from './pagerduty.ts';
import { slackBody } from './slack.ts';
import { sendMail } from './smtp.ts';
import { webhookBody } from './webhook.ts';

export interface SenderOptions {
  /** The hosts that may be connected to. */
  readonly hosts: AllowedHosts;
  /** The certificate authority of mail servers, if it is not a public one. */
  readonly ca?: string | undefined;
  readonly clock: Clock;
}

interface Sending {
  readonly channel: Pick<AlertChannel, 'kind' | 'settings'>;
  readonly secrets: ChannelSecrets;
  readonly message: AlertMessage;
  /** The same for all attempts to send the message. */
  readonly messageId: string;
  readonly stop: AbortSignal;
}

/** Sends one message. Returns the status or code with which it was taken, or throws `DeliveryFailed`. */
export async function sendByChannel(sending: Sending, { hosts, ca, clock }: SenderOptions): Promise<number> {
  const timeoutMs = controlPlaneLimits.alertDeliveryMsMax;
  try {
    return await withinTime({ clock, timeoutMs, stop: sending.stop }, (signal) =>
      send(sending, { hosts, ca, signal }),
    );
  } catch (error) {
    if (error instanceof NoAnswerInTime)
      throw new DeliveryFailed(`There was no answer within ${timeoutMs / 1000} s.`);
    throw error;
  }
}

function send(
  { channel: { kind, settings }, secrets, message, messageId }: Sending,
  to: { readonly hosts: AllowedHosts; readonly ca: string | undefined; readonly signal: AbortSignal },
): Promise<number> {
  const { webhookUrl = '', authorization, routingKey = '', smtpPassword: password } = secrets;
  switch (kind) {
    case 'slack':
      return postJson({ ...to, url: webhookUrl, body: slackBody(message) });
    case 'pagerduty':
      return postJson({
        ...to,
        url: settings.endpointUrl ?? pagerDutyUrl,
        body: pagerDutyBody(message, routingKey),
      });
    case 'webhook':
      return postJson({
        ...to,
        url: webhookUrl,
        headers: { 'idempotency-key': messageId, ...(authorization === undefined ? {} : { authorization }) },
        body: webhookBody(message),
      });
    case 'email': {
      const smtp = settings.smtp!;
      const text = mailText(message, { from: smtp.from, to: smtp.to, id: messageId });
      return sendMail({ ...to, settings: smtp, password, text });
    }
  }
}
