import type { Awaitable, Store } from '../store.ts'

/** `change` runs a statement, and returns the number of its rows: one for each changed key. */
export function createKeyChanges(
  change: (text: string, values: readonly unknown[]) => Awaitable<number>,
): Pick<Store['keys'], 'update' | 'replace' | 'revoke' | 'purge'> {
  return {
    update: async (id, { name, tier, owner, expiresAt }) =>
      (await change(
        `update keys set name = coalesce(cast($1 as text), name), tier = coalesce(cast($2 as text), tier),
           owner = coalesce(cast($3 as text), owner),
           expires_at = case when $4 = 1 then cast($5 as bigint) else expires_at end
         where id = $6 and revoked_at is null returning id`,
        [name ?? null, tier ?? null, owner ?? null, Number(expiresAt !== undefined), expiresAt ?? null, id],
      )) > 0,
    replace: async (id, successor, endsAt) =>
      (await change(
        `update keys set expires_at = case when expires_at < $1 then expires_at else $1 end, successor = $2
         where id = $3 and successor is null returning id`,
        [endsAt, successor, id],
      )) > 0,
    revoke: async (id, now) =>
      (await change('update keys set revoked_at = coalesce(revoked_at, $1) where id = $2 returning id', [
        now,
        id,
      ])) > 0,
    purge: (before) =>
      change('delete from keys where revoked_at < $1 or expires_at < $1 returning id', [before]),
  }
}
