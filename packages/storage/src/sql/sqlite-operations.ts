import type { SqliteFile } from '@weir/sql/sqlite-file';
import type { ObjectInfo } from '../store/object-store.ts';
import type { BucketOperations, ListedContent, Placed, PlacedObject } from './bucket-tables.ts';
import { sqliteNames } from './sqlite-schema.ts';

/** Each is a megabyte, whose pages are read to be freed; other writers wait meanwhile. */
const discardedChunksMax = 16;
const leftoversMax = 64;
const nowMs = `CAST(unixepoch('subsec') * 1000 AS INTEGER)`;

/** What the thread of a SQLite file does. */
export function sqliteOperations({ run, row, rows }: SqliteFile, table: string): BucketOperations {
  const { objects, contents, chunks } = sqliteNames(table);

  function contentOf(key: string): string | undefined {
    return row<{ content: string }>(`SELECT content FROM ${objects} WHERE key = ?`, [key])?.content;
  }

  function isBeingWritten(content: string): boolean {
    return row(`SELECT 1 FROM ${contents} WHERE id = ? AND NOT is_discarded`, [content]) !== undefined;
  }

  function addContent(content: string, key: string, isDiscarded: 0 | 1): void {
    run(`INSERT INTO ${contents} (id, key, begun_ms, is_discarded) VALUES (?, ?, ${nowMs}, ?)`, [
      content,
      key,
      isDiscarded,
    ]);
  }

  /** Makes the content of an object visible, and notes the one that it replaces. */
  function setObject({ key, content, bytes, chunkBytes }: PlacedObject, onlyIfAbsent: boolean): Placed {
    const before = contentOf(key);
    if (before !== undefined && onlyIfAbsent) return 'exists';
    if (before !== undefined) addContent(before, key, 1);
    run(
      `INSERT INTO ${objects} (key, content, bytes, chunk_bytes, modified_ms) VALUES (?, ?, ?, ?, ${nowMs})
       ON CONFLICT (key) DO UPDATE SET content = excluded.content, bytes = excluded.bytes,
         chunk_bytes = excluded.chunk_bytes, modified_ms = excluded.modified_ms`,
      [key, content, bytes, chunkBytes],
    );
    return { replaced: before };
  }

  return {
    putWhole(object, chunk, onlyIfAbsent) {
      const placed = setObject(object, onlyIfAbsent);
      if (placed !== 'exists' && chunk.length > 0)
        run(`INSERT INTO ${chunks} (content, number, bytes) VALUES (?, 0, ?)`, [object.content, chunk]);
      return placed;
    },

    begin: (content, key) => addContent(content, key, 0),

    addChunk(content, number, chunk) {
      if (!isBeingWritten(content)) return false;
      run(
        `INSERT INTO ${chunks} (content, number, bytes) VALUES (?, ?, ?)
         ON CONFLICT (content, number) DO UPDATE SET bytes = excluded.bytes`,
        [content, number, chunk],
      );
      return true;
    },

    place(object, onlyIfAbsent) {
      const { key, content, bytes, chunkBytes } = object;
      // An earlier call may have done it, whose response was lost.
      if (!isBeingWritten(content))
        return contentOf(key) === content ? { replaced: undefined } : 'incomplete';
      const stored = row<{ bytes: number }>(
        `SELECT coalesce(sum(length(bytes)), 0) AS bytes FROM ${chunks} WHERE content = ? AND number < ?`,
        [content, Math.ceil(bytes / chunkBytes)],
      );
      if (stored!.bytes !== bytes) return 'incomplete';
      const placed = setObject(object, onlyIfAbsent);
      if (placed !== 'exists') run(`DELETE FROM ${contents} WHERE id = ?`, [content]);
      return placed;
    },

    remove(keys) {
      const removed: string[] = [];
      for (const key of keys) {
        const content = contentOf(key);
        if (content === undefined) continue;
        run(`DELETE FROM ${objects} WHERE key = ?`, [key]);
        addContent(content, key, 1);
        removed.push(content);
      }
      return removed;
    },

    discardSome(ids) {
      let left = discardedChunksMax;
      for (const id of ids) {
        // One that has become an object meanwhile is not found.
        if (run(`UPDATE ${contents} SET is_discarded = 1 WHERE id = ?`, [id]) === 0) continue;
        left -= run(
          `DELETE FROM ${chunks} WHERE rowid IN (SELECT rowid FROM ${chunks} WHERE content = ? LIMIT ?)`,
          [id, left],
        );
        if (left === 0) return true;
        run(`DELETE FROM ${contents} WHERE id = ?`, [id]);
      }
      return false;
    },

    leftovers: (ageMs) =>
      rows<{ id: string }>(
        `SELECT id FROM ${contents} WHERE is_discarded OR begun_ms < ${nowMs} - ? LIMIT ${leftoversMax}`,
        [ageMs],
      ).map(({ id }) => id),

    find: (key) =>
      row<ObjectInfo>(`SELECT key, bytes, modified_ms AS modifiedMs FROM ${objects} WHERE key = ?`, [key]),

    read(key, start, end) {
      const found = row<PlacedObject>(
        `SELECT content, bytes, chunk_bytes AS chunkBytes FROM ${objects} WHERE key = ?`,
        [key],
      );
      if (found === undefined) return undefined;
      const { content, bytes: objectBytes, chunkBytes } = found;
      const pieces: Uint8Array[] = [];
      const lastEnd = Math.min(end, objectBytes);
      for (let at = start; at < lastEnd; ) {
        const number = Math.floor(at / chunkBytes);
        const pieceEnd = Math.min(lastEnd, (number + 1) * chunkBytes);
        const stored = row<{ piece: Uint8Array }>(
          `SELECT substr(bytes, ?, ?) AS piece FROM ${chunks} WHERE content = ? AND number = ?`,
          [at - number * chunkBytes + 1, pieceEnd - at, content, number],
        );
        if (stored === undefined) break;
        pieces.push(stored.piece);
        at = pieceEnd;
      }
      return { content, objectBytes, pieces };
    },

    list: ({ from, before, count }) =>
      rows<ObjectInfo>(
        `SELECT key, bytes, modified_ms AS modifiedMs FROM ${objects}
         WHERE key >= ? AND key < ? ORDER BY key LIMIT ?`,
        [from, before, count],
      ),

    listContents: ({ from, before, after, count }) =>
      rows<ListedContent>(
        `SELECT key, id AS content, begun_ms AS begunMs FROM ${contents}
         WHERE NOT is_discarded AND key >= ?1 AND key < ?2 AND (?3 IS NULL OR (key, id) > (?3, ?4))
         ORDER BY key, id LIMIT ?5`,
        [from, before, after?.key ?? null, after?.content ?? null, count],
      ),
  };
}
