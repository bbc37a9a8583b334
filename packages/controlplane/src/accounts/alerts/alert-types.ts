import type { AlertChannelKind } from '@weir/api';

/** Alerts as they are stored: definitions, the state of each, and what was sent. */

export type SmtpSecurity = 'tls' | 'starttls' | 'none';

/** The settings of a channel that are not secret. */
export interface ChannelSettings {
  /** Where it sends to, for people, without secrets. */
  readonly target: string;
  /** Of PagerDuty: its address. */
  readonly endpointUrl?: string | undefined;
  readonly hasAuthorization?: boolean | undefined;
  readonly smtp?: SmtpSettings | undefined;
}

export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  readonly security: SmtpSecurity;
  readonly username?: string | undefined;
  readonly from: string;
  readonly to: readonly string[];
}

export interface ChannelSecrets {
  readonly webhookUrl?: string | undefined;
  readonly authorization?: string | undefined;
  readonly routingKey?: string | undefined;
  readonly smtpPassword?: string | undefined;
}

export interface AlertChannel {
  /** `aci_…` */
  readonly id: string;
  readonly name: string;
  readonly kind: AlertChannelKind;
  readonly settings: ChannelSettings;
  /** Attempts in a row that failed. */
  readonly failures: number;
  readonly failingSinceMs: number | undefined;
  readonly lastError: string | undefined;
  readonly deliveredMs: number | undefined;
  readonly updatedMs: number;
  readonly updatedBy: string;
}

export type AlertSeverity = 'low' | 'medium' | 'high' | 'critical';

/** More than so many events of a saved search in a time, or diagnostics that fail; no ids mean all of them. */
export type AlertSource =
  | {
      readonly kind: 'events';
      readonly viewId: string;
      readonly moreThan: number;
      readonly withinMinutes: number;
    }
  | {
      readonly kind: 'diagnostics';
      readonly diagnosticIds: readonly string[];
      readonly minSeverity: AlertSeverity;
    };

export interface AlertMute {
  readonly by: string;
  /** `null` for an unlimited mute. */
  readonly untilMs: number | null;
  readonly reason: string;
}

export interface Alert {
  /** `ali_…` */
  readonly id: string;
  readonly clusterId: string;
  readonly name: string;
  readonly source: AlertSource;
  readonly channelIds: readonly string[];
  /** `null` for never. */
  readonly repeatMinutes: number | null;
  readonly notifiesResolved: boolean;
  readonly isEnabled: boolean;
  readonly mute: AlertMute | undefined;
  readonly updatedMs: number;
  readonly updatedBy: string;
}

/** One thing on which an alert fires: the events of its search together, or a diagnostic. */
export interface AlertFinding {
  /** The same from one evaluation to the next. */
  readonly key: string;
  readonly title: string;
  readonly message: string;
  readonly severity: AlertSeverity;
}

/** All that a process needs to continue where another one stopped. */
export interface AlertState {
  /** When it was last evaluated; `null` if never. */
  readonly checkedMs: number | null;
  /** Why the last evaluation failed. What it found before stays. */
  readonly problem: string | null;
  readonly summary: string;
  /** What it fires on, the worst first. */
  readonly firing: readonly AlertFinding[];
  readonly firingSinceMs: number | null;
  readonly lastFiredMs: number | null;
  /** What the channels know to be firing; `null` if they know of nothing. */
  readonly notified: { readonly findings: readonly AlertFinding[]; readonly atMs: number } | null;
  /** When `fired` or `changed` was last sent, so that the next one waits. */
  readonly sentMs: number | null;
  /** How often it was sent as fired, which numbers its incidents. */
  readonly incidents: number;
  /** The number of its next notification. */
  readonly notificationCount: number;
}

export const newAlertState: AlertState = {
  checkedMs: null,
  problem: null,
  summary: '',
  firing: [],
  firingSinceMs: null,
  lastFiredMs: null,
  notified: null,
  sentMs: null,
  incidents: 0,
  notificationCount: 0,
};

export type NotificationKind = 'fired' | 'changed' | 'repeated' | 'resolved';

/** What is sent to channels. */
export interface AlertMessage {
  readonly kind: NotificationKind;
  readonly alertId: string;
  readonly alertName: string;
  readonly clusterId: string;
  readonly clusterName: string;
  readonly atMs: number;
  readonly severity: AlertSeverity;
  /** One line. */
  readonly summary: string;
  /** What fires, the worst first, up to the stored maximum. */
  readonly findings: readonly AlertFinding[];
  readonly findingCount: number;
  /** The titles of what no longer fires. */
  readonly resolved: readonly string[];
  /** The same for all messages about one incident. */
  readonly incidentKey: string;
  /** The page of the alert. */
  readonly link: string;
}

export interface AlertDelivery {
  readonly channelId: string;
  readonly channelName: string;
  readonly state: 'pending' | 'delivered' | 'failed';
  readonly attempts: number;
  readonly lastError: string | null;
  /** When it is tried next, while it is pending. */
  readonly nextMs: number;
  readonly endedMs: number | null;
}

export interface AlertNotification {
  readonly alertId: string;
  readonly number: number;
  readonly message: AlertMessage;
  readonly isMuted: boolean;
  readonly deliveries: readonly AlertDelivery[];
  readonly version: number;
}
