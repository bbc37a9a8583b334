import { useState } from 'react';
import { useClusterId } from '../../../api/use-cluster.ts';
import { Segmented } from '../../../ui/segmented.tsx';
import { Command } from '../../../ui/states.tsx';
import { TextLink } from '../../../ui/text-link.tsx';
import { type EngineName, engineNames, engines } from './engines.ts';

/** The browser remembers the engine: it is about a person and not about a page. */
const storageKey = 'weir.table-engine';

function storedEngine(): EngineName {
  const stored = localStorage.getItem(storageKey);
  return engineNames.find((name) => name === stored) ?? 'pyiceberg';
}

/** The catalog of the cluster, and how engines read a table by it. */
export function ConnectEngines({ table }: { readonly table: string }) {
  const clusterId = useClusterId();
  const [engine, setEngine] = useState(storedEngine);
  const catalog = `${location.origin}/catalogs/iceberg/${clusterId}`;
  const { title, about, snippet } = engines[engine];
  return (
    <div className="flex flex-col gap-3 p-4">
      <div>
        <h3 className="mb-1 text-xs text-muted">Iceberg REST catalog</h3>
        <Command text={catalog} />
      </div>
      <div className="overflow-x-auto">
        <Segmented
          label="Engine"
          choices={engineNames.map((name) => ({ name, title: engines[name].title }))}
          value={engine}
          onChange={(name) => {
            localStorage.setItem(storageKey, name);
            setEngine(name);
          }}
        />
      </div>
      <section aria-label={title} className="flex flex-col gap-1">
        <p className="text-xs text-muted">{about}</p>
        <Command text={snippet({ catalog, token: 'API_KEY', table })} />
      </section>
      <p className="text-xs text-muted">
        Replace API_KEY by an <TextLink to="/keys">API key</TextLink> of the workspace, or an agent key of
        this cluster. The catalog gives no credentials for the bucket: the engine needs its own, which may
        only read.
      </p>
    </div>
  );
}
