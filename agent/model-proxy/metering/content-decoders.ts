/** What makes a provider's answer readable that it has compressed although it was asked not to. */
import type { Duplex } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import { headerList } from "#shared/header-list.ts";
import { ProxyError } from "../proxy-error.ts";

const known: Readonly<Record<string, () => Duplex>> = {
	gzip: createGunzip,
	"x-gzip": createGunzip,
	deflate: createInflate,
	br: createBrotliDecompress,
	zstd: createZstdDecompress,
};

/**
 * @param encoding Value of `content-encoding`, the last one applied last.
 * @param provider Its name in sentences.
 * @throws {ProxyError} 502 for an unknown one.
 */
export function decoders(encoding: string, provider: string): Duplex[] {
	const names = headerList(encoding.toLowerCase());
	return names
		.filter((name) => name !== "" && name !== "identity")
		.toReversed()
		.map((name) => {
			const decoder = Object.hasOwn(known, name) ? known[name] : undefined;
			if (!decoder) throw new ProxyError(502, `${provider} encodes its answer as "${name}", which is not known`);
			return decoder();
		});
}
