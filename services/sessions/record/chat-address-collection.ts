/** The stored address of the gateway in the chat endpoints of all sessions. */
import { defineCollection } from "#shared/store/collection.ts";

/** The collection has one document, `gateway`. */
export const chatAddressCollection = defineCollection("chat_address", { base: "text" }, {});
