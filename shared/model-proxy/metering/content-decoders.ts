/** Decompresses a provider's response that is compressed although the request asked for none. */
import type { Duplex } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import { headerList } from "#shared/base/headers/header-list.ts";
import { ProxyError } from "../proxy-error.ts";

const known: Readonly<Record<string, () => Duplex>> = {
	gzip: createGunzip,
	"x-gzip": createGunzip,
	deflate: createInflate,
	br: createBrotliDecompress,
	zstd: createZstdDecompress,
};

/**
 * @param encoding The value of `content-encoding`; its last encoding was applied last.
 * @param provider The provider's name in sentences.
 * @throws {ProxyError} with status 502 for an unknown encoding.
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
