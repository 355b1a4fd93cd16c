/** Reads lists that a provider answers in numbered pages. */
import type { IncomingHttpHeaders } from "node:http";
import type { ProviderClient, ProviderRequest, Reader } from "#shared/net/outbound/provider-client.ts";

export interface WantedPages<T> {
	readonly path: string;
	/** The parameters beside the number of the page. */
	readonly query: NonNullable<ProviderRequest["query"]>;
	readonly reader: Reader<T[]>;
	/** The most items that are read. */
	readonly most: number;
	/** Returns the number of the next page from the headers of an answer; undefined after the last one. */
	readonly next: (headers: IncomingHttpHeaders) => number | undefined;
}

export interface ReadPages<T> {
	readonly items: T[];
	/** Whether the list has more items than were read. */
	readonly more: boolean;
}

/**
 * Resolves with the items of all pages. A page without items and a next page that is not a later one end the list, so
 * that no answer leads around in a circle.
 */
export async function readPages<T>(client: ProviderClient, wanted: WantedPages<T>): Promise<ReadPages<T>> {
	const { path, query, reader, most, next } = wanted;
	const items: T[] = [];
	for (let page = 1; ; ) {
		const { headers, json } = await client.send({ path, query: { ...query, page } });
		const found = client.read(reader, json);
		items.push(...found);
		const following = found.length === 0 ? undefined : next(headers);
		if (items.length > most || (items.length === most && following !== undefined))
			return { items: items.slice(0, most), more: true };
		if (following === undefined || following <= page) return { items, more: false };
		page = following;
	}
}
