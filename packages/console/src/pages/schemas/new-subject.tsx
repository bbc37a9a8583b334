import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useClusterId } from '../../api/use-cluster.ts';
import { SelectField, TextField } from '../../ui/fields.tsx';
import { Page } from '../../ui/page.tsx';
import { say } from '../../ui/toasts.tsx';
import { SchemaEditor } from './schema-editor.tsx';
import { type SchemaType, schemaTypeNames } from './schema-text.ts';

const examples: Readonly<Record<SchemaType, string>> = {
  AVRO: '{\n  "type": "record",\n  "name": "Order",\n  "fields": [\n    { "name": "id", "type": "long" }\n  ]\n}',
  PROTOBUF: 'syntax = "proto3";\n\nmessage Order {\n  int64 id = 1;\n}\n',
  JSON: '{\n  "type": "object",\n  "properties": {\n    "id": { "type": "integer" }\n  },\n  "required": ["id"]\n}',
};

export function NewSubject() {
  const clusterId = useClusterId();
  const search = useSearch({ from: '/frame/clusters/$clusterId/new-subject' });
  const navigate = useNavigate();
  const [subject, setSubject] = useState(search.subject ?? '');
  const [type, setType] = useState<SchemaType>('AVRO');
  return (
    <Page title="Create subject" facts="Registers the first version of a schema under a new name">
      <SchemaEditor // Another language begins with another example.
        key={type}
        subject={subject}
        type={type}
        initialText={examples[type]}
        initialReferences={[]}
        onRegistered={({ version }) => {
          say(`Registered version ${version} of ${subject}`);
          void navigate({
            to: '/clusters/$clusterId/subjects/$subject',
            params: { clusterId, subject },
            search: {},
          });
        }}
      >
        <div className="grid gap-3 sm:grid-cols-2">
          <TextField
            label="Subject"
            name="subject"
            value={subject}
            onText={setSubject}
            placeholder="orders-value"
            maxLength={1024}
            spellCheck={false}
          >
            Serializers use the topic name with -key or -value.
          </TextField>
          <SelectField
            label="Type"
            name="type"
            value={type}
            onChange={(event) => setType(event.target.value as SchemaType)}
            options={Object.entries(schemaTypeNames)}
          />
        </div>
      </SchemaEditor>
    </Page>
  );
}
