import { clusterConfigValue } from '@weir/cluster';
import { type EventTypeName, eventTypeNames } from '@weir/events/emission';

type Configs = Readonly<Record<string, string>>;

/**
 * Which types of events the cluster wants. Agents follow the configs of their cluster, so that a change counts as soon as it is heard; the object is
 * replaced when anything in it changes, and only then is it read.
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
