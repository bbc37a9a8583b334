import { useState } from 'react';
import { useOperation } from '../../../api/use-operation.ts';
import { SelectField, TextField } from '../../../ui/fields.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { Command, Skeleton } from '../../../ui/states.tsx';
import {
  type LanguageName,
  languageNames,
  languages,
  type Purpose,
  type Security,
  securities,
} from './snippets.ts';

interface WaysProps {
  readonly clusterId: string;
  /** What clients log in with; without it the snippets have placeholders where they need one. */
  readonly username?: string;
  readonly password?: string;
  readonly topic?: string;
  readonly group?: string;
  readonly purpose?: Purpose;
}

/** The browser remembers the language: it is about a person and not about a page. */
const storageKey = 'weir.snippet-language';

function storedLanguage(): LanguageName {
  const stored = localStorage.getItem(storageKey);
  return languageNames.find((name) => name === stored) ?? 'weir';
}

/** Programs and commands that work as they are, with the address, the security and the names filled in. */
export function WaysToConnect(props: WaysProps) {
  const { clusterId, username = 'USERNAME', password = 'PASSWORD' } = props;
  const input = { virtual_cluster_id: clusterId };
  const cluster = useOperation('describe_virtual_cluster', input);
  const agents = useOperation('list_agents', input, { everyMs: 5_000 });
  const [language, setLanguage] = useState(storedLanguage);
  const [purpose, setPurpose] = useState<Purpose>(props.purpose ?? 'produce');
  const [security, setSecurity] = useState<Security>(
    props.username === undefined ? 'PLAINTEXT' : 'SASL_PLAINTEXT',
  );
  const [topic, setTopic] = useState(props.topic ?? 'hello');
  const [group, setGroup] = useState(props.group ?? 'my-group');
  if (agents.data === undefined && !agents.isError) return <Skeleton rows={3} />;
  const agent = agents.data?.agents.find(({ kafka_port }) => kafka_port !== undefined);
  const bootstrap =
    agent === undefined
      ? (cluster.data?.virtual_cluster.bootstrap_url ?? undefined)
      : `${agent.host}:${agent.kafka_port}`;
  const { title, install, [purpose]: snippet } = languages[language];
  const text = snippet({
    bootstrap: bootstrap ?? 'AGENT_HOST:9092',
    security,
    username,
    password,
    topic: topic === '' ? 'hello' : topic,
    group: group === '' ? 'my-group' : group,
  });
  return (
    <div className="flex flex-col gap-3">
      {bootstrap === undefined && (
        <p className="text-sm text-body">
          No agent is connected yet, so the address below is a placeholder. The Agents page shows how to start
          one.
        </p>
      )}
      <div className="grid gap-3 sm:grid-cols-2">
        <SelectField
          label="Language"
          name="language"
          value={language}
          onChange={({ target }) => {
            localStorage.setItem(storageKey, target.value);
            setLanguage(target.value as LanguageName);
          }}
          options={languageNames.map((name) => [name, languages[name].title])}
        />
        <SelectField
          label="Security"
          name="security"
          value={security}
          onChange={({ target }) => setSecurity(target.value as Security)}
          options={Object.entries(securities)}
        />
        {props.topic === undefined && (
          <TextField label="Topic of the snippet" name="topic" value={topic} onText={setTopic} />
        )}
        {props.group === undefined && purpose === 'consume' && (
          <TextField label="Group of the snippet" name="group" value={group} onText={setGroup} />
        )}
      </div>
      <Segmented
        label="What the snippet does"
        choices={[
          { name: 'produce', title: 'Produce' },
          { name: 'consume', title: 'Consume' },
        ]}
        value={purpose}
        onChange={setPurpose}
      />
      {install !== '' && <Command text={install} />}
      <section aria-label={title}>
        <Command text={text} />
      </section>
      {security.startsWith('SASL_') && props.password === undefined && (
        <p className="text-xs text-muted">
          {props.username === undefined
            ? 'Replace USERNAME and PASSWORD by those of a credential; '
            : 'Replace PASSWORD by the password of the credential; '}
          a password is shown once, when its credential is created.
        </p>
      )}
    </div>
  );
}
