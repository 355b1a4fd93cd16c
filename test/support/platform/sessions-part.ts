/**
 * Starts the real event log, sessions and blueprints parts over a real store in a temporary folder, on one broker or
 * two.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "#shared/config/config.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import { Outbound } from "#shared/net/outbound/outbound.ts";
import { InstallationKey } from "#shared/base/secrets/keys.ts";
import type { Platform } from "#host/platform.ts";
import { startNodes } from "../bus/test-brokers.ts";
import { composeParts } from "./compose-parts.ts";
import { storingServices } from "./storing-services.ts";
import { noLog } from "./no-log.ts";

/** @param permanent A folder that remains; default: one that is removed with the parts. */
export async function startSessions(nodes: 1 | 2, permanent?: string) {
	const folder = permanent ?? (await mkdtemp(join(tmpdir(), "atelier-sessions-")));
	const platform: Platform = {
		config: loadConfig({ DATA_DIR: folder }),
		key: new InstallationKey(Buffer.alloc(32, 3)),
		trustsCallers: true,
		outbound: new Outbound(loadConfig({}).outbound),
		rawHandlers: new Map(),
		upgradeHandlers: new Map(),
		shortcomings: [],
		metrics: new Metrics(),
		readiness: new Map(),
		log: noLog,
		announce() {},
	};
	const parts = await composeParts(platform, storingServices);
	const started = await startNodes(
		nodes,
		parts.flatMap(({ services }) => services),
	);
	return {
		near: started.near,
		/** Drains the parts, as at the beginning of an orderly end. */
		async drain() {
			for (const part of parts) await part.drain?.();
		},
		async stop() {
			await started.stop();
			for (const part of parts) await part.close?.();
			if (permanent === undefined) await rm(folder, { recursive: true });
		},
	};
}
