/** The collections of settings: one document for each tenant or user, whose text is the setting as JSON. */
import { type Audited, type Collection, defineCollection } from "#shared/store/collection.ts";

const columns = { rev: "integer" } as const;

export type SettingCollection = Collection<typeof columns, Record<never, never>>;

/** Returns the collection of one kind of settings. `rev` counts the changes of a document from 1. @param audited The members that the audit log shows. */
export function settingCollection(name: string, audited?: Audited): SettingCollection {
	return defineCollection(name, columns, {}, { ...(audited && { audited }) });
}
