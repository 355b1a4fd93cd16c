/** The WebSocket subprotocols that clients of a session's chat offer. */

/**
 * The prefix of a subprotocol that contains a browser's token in base64url, because browsers cannot set headers (contract,
 * behaviour 6.5). The platform never selects it.
 */
export const tokenSubprotocol = "base64url.bearer.authorization.k8s.io.";

/** The subprotocol of clients that read this platform's own form of frames; others get the contract's form. */
export const ownSubprotocol = "atelier.chat";
