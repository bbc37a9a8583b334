import { useState } from 'react';
import { useClusterOperation } from '../../api/use-cluster.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/fields.tsx';
import { ConfigControl } from '../configs/config-control.tsx';
import { editedValue, storedValue, typedProblem } from '../configs/config-values.ts';

/** The configs that a person adds to a new topic, and the part of the form for them. */
export function useChosenConfigs() {
  const { data } = useClusterOperation('list_topic_config_definitions', {});
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const definitions = data?.definitions ?? [];
  const chosen = definitions.filter((definition) => Object.hasOwn(typed, definition.name));
  const areValid = chosen.every(
    (definition) => typedProblem(definition, typed[definition.name]!) === undefined,
  );
  const configs = Object.fromEntries(
    chosen.map((definition) => [definition.name, storedValue(definition, typed[definition.name]!)]),
  );
  const set = (config: string, value: string) => setTyped((now) => ({ ...now, [config]: value }));
  const fields = (
    <>
      {chosen.map((definition) => (
        <div key={definition.name} className="flex items-start gap-2 rounded-md border border-line p-3">
          <div className="min-w-0 flex-1">
            <ConfigControl
              definition={definition}
              value={typed[definition.name]!}
              onChange={(value) => set(definition.name, value)}
            />
          </div>
          <Button
            kind="quiet"
            aria-label={`Remove ${definition.name}`}
            onClick={() => setTyped(({ [definition.name]: _, ...others }) => others)}
          >
            Remove
          </Button>
        </div>
      ))}
      <Select
        aria-label="Add config"
        value=""
        onChange={(event) => {
          const definition = definitions.find((one) => one.name === event.target.value);
          if (definition !== undefined) set(definition.name, editedValue(definition, definition.default));
        }}
        options={[
          ['', 'Add config …'],
          ...definitions
            .filter((definition) => definition.has_effect && !Object.hasOwn(typed, definition.name))
            .map((definition) => [definition.name, definition.name] as const),
        ]}
      />
    </>
  );
  return { configs, areValid, fields };
}
