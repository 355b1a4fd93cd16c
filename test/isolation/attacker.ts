/**
 * Carries out one attack in a separate process, so that it does not slow down the measurement. Its first message
 * names the attack; it answers `prepared`, begins with the second message, and ends with its parent.
 */
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { ApiClient } from "../support/clients/api-client.ts";
import type { AttackTestbed } from "./attack.ts";
import { attackNamed } from "./attacks.ts";

export type AttackOrder = Omit<AttackTestbed, "api"> & { readonly name: string };

process.on("disconnect", () => process.exit());
const [order] = (await once(process, "message")) as [AttackOrder];
const api = new ApiClient(order.prefix, { authorization: order.authorization });
const wave = await attackNamed(order.name).begin({ ...order, api });
const begun = once(process, "message");
process.send?.("prepared");
await begun;
while (process.connected) {
	await wave().catch(() => {});
	await sleep(10);
}
