/** Passes on what two connections say to each other, and ends both with the first one that ends. */
import type { Socket } from "node:net";

export function join(one: Socket, other: Socket): void {
	one.pipe(other);
	other.pipe(one);
	one.on("error", () => other.destroy());
	other.on("error", () => one.destroy());
	one.on("close", () => other.destroy());
	other.on("close", () => one.destroy());
}
