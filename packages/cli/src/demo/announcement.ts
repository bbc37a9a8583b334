import { demoGroups } from './cast.ts';
import { demoTopicNames } from './topics.ts';

interface AnnouncementOptions {
  readonly cluster: {
    readonly host: string;
    readonly kafkaPort: number;
    readonly registryUrl: string;
    readonly controlPlaneUrl: string;
  };
  readonly applicationKey: string;
  readonly accountKey: string;
}

const usualKafkaPort = 9092;
const usualRegistryUrl = 'http://localhost:9094';

/** What runs in the demo, and commands to try. They work as they are, in another terminal. */
export function demoAnnouncement({
  cluster,
  applicationKey,
  accountKey,
}: AnnouncementOptions): readonly string[] {
  const { host, kafkaPort, registryUrl, controlPlaneUrl } = cluster;
  const kafka = [
    ...(host === 'localhost' ? [] : [`-bootstrap-host ${host}`]),
    ...(kafkaPort === usualKafkaPort ? [] : [`-bootstrap-port ${kafkaPort}`]),
  ];
  const registry = registryUrl === usualRegistryUrl ? [] : [`-schemaRegistryURL ${registryUrl}`];
  const api = (key: string) => [`-apiURL ${controlPlaneUrl}`, `-apiKey ${key}`];
  const command = (...words: readonly string[]) => `  weir cli ${words.join(' ')}`;
  return [
    '',
    'A web shop is running:',
    `  topics         ${demoTopicNames.join(', ')}`,
    `  groups         ${demoGroups.healthy} and ${demoGroups.committed} keep up, ${demoGroups.slow} falls behind,`,
    `                 ${demoGroups.stuck} is stuck, ${demoGroups.abandoned} has no members`,
    '  denied         marketing may not read payments, partner may not write customers',
    '',
    'Things to try in another terminal:',
    command('fetch -topic orders -decode auto', ...kafka, ...registry),
    command('consumer-group-lag', `-group ${demoGroups.slow}`, ...kafka),
    command('events search -types acl_logs -last 1h', ...api(applicationKey)),
    command('mcp-config', ...api(accountKey)),
    '',
  ];
}
