import { clusterConfigValue } from '@weir/cluster';
import { type EventTypeName, eventTypeNames } from '@weir/events/emission';

type Configs = Readonly<Record<string, string>>;

/**
 * Which event types are enabled in the cluster. Agents follow the configs of their cluster, so a change takes effect
 * when it arrives; the config object is replaced on every change, and is parsed only then.
 */
export class EventSwitch {
  readonly #configs: () => Configs;
  #read: Configs | undefined;
  #on: ReadonlySet<EventTypeName> = new Set();

  constructor(configs: () => Configs) {
    this.#configs = configs;
  }

  isOn(type: EventTypeName): boolean {
    const configs = this.#configs();
    if (configs !== this.#read) {
      this.#read = configs;
      this.#on = wantedTypes(configs);
    }
    return this.#on.has(type);
  }
}

function wantedTypes(configs: Configs): ReadonlySet<EventTypeName> {
  if (!clusterConfigValue('service.events.enabled', configs)) return new Set();
  return new Set(
    eventTypeNames.filter((type) => clusterConfigValue(`service.events.${type}.enabled`, configs)),
  );
}
