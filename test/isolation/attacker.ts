/**
 * Carries out one attack, as a process of its own: whoever measures is not slowed down by it. Told what by its first
 * message, says `prepared`, begins with the second, and ends with its parent.
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
